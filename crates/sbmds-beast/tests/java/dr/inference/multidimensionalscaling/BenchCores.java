package dr.inference.multidimensionalscaling;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Random;

/**
 * Times BEAST's Java core or its native library on simulated data, for scripts/bench_beast: whole evaluations, single-location
 * steps (store, move, evaluate, restore) and gradients, in milliseconds. In BEAST's package, because its cores are.
 */
public class BenchCores {
    static final int DIMENSIONS = 2;

    public static void main(String[] arguments) {
        int locations = Integer.parseInt(arguments[0]);
        long flags = Long.parseLong(arguments[1]);
        boolean isNative = (flags & MultiDimensionalScalingCore.USE_NATIVE_MDS) != 0;
        MultiDimensionalScalingCore core =
                isNative ? new MassivelyParallelMDSImpl() : new MultiDimensionalScalingCoreImpl();
        Random random = new Random(1);
        double[] map = random.doubles(locations * DIMENSIONS, -2, 2).toArray();
        core.initialize(DIMENSIONS, locations, flags);
        core.setParameters(new double[] {4});
        core.setPairwiseData(dissimilarities(map, locations, random));
        core.updateLocation(-1, map);
        core.makeDirty();
        double sum = core.calculateLogLikelihood();
        double[] to = new double[DIMENSIONS];
        double full = time(() -> {
            core.updateLocation(-1, map);
            core.makeDirty();
            core.calculateLogLikelihood();
        });
        double step = time(() -> {
            core.storeState();
            to[0] = random.nextDouble();
            to[1] = random.nextDouble();
            core.updateLocation(random.nextInt(locations), to);
            core.calculateLogLikelihood();
            core.restoreState();
        });
        double[] gradient = new double[map.length];
        double slope = isNative ? time(() -> core.getGradient(gradient)) : Double.NaN;
        System.out.println(full + " " + step + " " + slope + " " + sum);
    }

    /** Distances with noise of standard deviation 1/2. */
    static double[] dissimilarities(double[] map, int locations, Random random) {
        double[] values = new double[locations * locations];
        for (int a = 0; a < locations; a++) {
            for (int b = a + 1; b < locations; b++) {
                double distance = Math.hypot(map[2 * a] - map[2 * b], map[2 * a + 1] - map[2 * b + 1]);
                double value = Math.abs(distance + 0.5 * random.nextGaussian());
                values[a * locations + b] = values[b * locations + a] = value;
            }
        }
        return values;
    }

    static final ThreadMXBean threads = ManagementFactory.getThreadMXBean();

    /** Milliseconds of processor time per call, which others on the machine do not lengthen: the least mean of five rounds, after a round that lets the compiler do its work. */
    static double time(Runnable work) {
        double least = Double.POSITIVE_INFINITY;
        for (int round = 0; round < 6; round++) {
            long start = threads.getCurrentThreadCpuTime(), elapsed;
            int calls = 0;
            do {
                work.run();
                calls++;
                elapsed = threads.getCurrentThreadCpuTime() - start;
            } while (elapsed < 300_000_000L);
            least = round == 0 ? least : Math.min(least, elapsed * 1e-6 / calls);
        }
        return least;
    }
}
