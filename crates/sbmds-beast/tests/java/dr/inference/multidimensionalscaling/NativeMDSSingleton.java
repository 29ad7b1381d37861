package dr.inference.multidimensionalscaling;

/** The native calls of all generations of BEAST, declared as BEAST does: names and types are the contract. */
public class NativeMDSSingleton {
    public native int initialize(int dimensions, int locations, long flags);

    public native int initialize(int dimensions, int locations, long flags, int device, int threads);

    public native int initialize(int dimensions, int rows, int columns, long flags, int device, int threads);

    public native void updateLocations(int instance, int index, double[] locations);

    public native double getSumOfIncrements(int instance);

    public native void storeState(int instance);

    public native void restoreState(int instance);

    public native void acceptState(int instance);

    public native void makeDirty(int instance);

    public native void setPairwiseData(int instance, double[] observations);

    public native void setParameters(int instance, double[] parameters);

    public native double[] getPairwiseData(int instance);

    public native void getLocationGradient(int instance, double[] gradient);

    public native void getObservationGradient(int instance, double[] gradient);

    public native int getInternalDimension(int instance);
}
