import dr.inference.multidimensionalscaling.NativeMDSSingleton;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.Random;

/** Calls every native function from a real virtual machine, with right and wrong arguments. */
public class CallEverything {
    static final NativeMDSSingleton mds = new NativeMDSSingleton();
    static final double NA = Double.NaN;

    public static void main(String[] arguments) throws Exception {
        System.load(arguments[0]);
        symmetric(mds.initialize(2, 5, 1));
        symmetric(mds.initialize(2, 5, 1 | 4, -1, 2));
        symmetric(mds.initialize(2, 5, 1 | 8 | 16, -1, 2));
        rectangular(mds.initialize(2, 3, 2, 1, -1, 0));
        truncated(mds.initialize(2, 5, 33, -1, 0));
        wrongArguments();
        manyThreads();
        manyCycles();
        System.out.println("every call answered");
    }

    // Multiples of 1/4, which single precision holds exactly.
    static final double[] FIVE = {
        0, 1.25, 2, 1.5, 0.5,
        1.25, 0, NA, 1, 2.25,
        2, NA, 0, 0.75, 1.75,
        1.5, 1, 0.75, 0, 1,
        0.5, 2.25, 1.75, 1, 0,
    };
    static final double[] MAP = {0, 0, 1, 0.5, -0.5, 1, 0.25, -1, 1.5, 1.5};

    static double distance(double[] map, int a, int b) {
        return Math.hypot(map[2 * a] - map[2 * b], map[2 * a + 1] - map[2 * b + 1]);
    }

    /** S without truncation; one of ten pairs is missing, and BEAST counts it. */
    static double expected(double[] map, double tau) {
        double sum = 0.5 * (Math.log(tau) - Math.log(2 * Math.PI));
        for (int a = 0; a < 5; a++) {
            for (int b = a + 1; b < 5; b++) {
                double residual = FIVE[5 * a + b] - distance(map, a, b);
                sum += Double.isNaN(residual) ? 0 : 0.5 * tau * residual * residual;
            }
        }
        return sum;
    }

    static void symmetric(int instance) {
        check("dimension", mds.getInternalDimension(instance), 2, 0);
        mds.setParameters(instance, new double[] {4});
        mds.setPairwiseData(instance, FIVE);
        mds.updateLocations(instance, -1, MAP);
        mds.makeDirty(instance);
        check("sum", mds.getSumOfIncrements(instance), expected(MAP, 4), 1e-12);
        double[] moved = MAP.clone();
        moved[6] = 2;
        moved[7] = -0.5;
        mds.storeState(instance);
        mds.updateLocations(instance, 3, new double[] {2, -0.5});
        check("one location moved", mds.getSumOfIncrements(instance), expected(moved, 4), 1e-12);
        mds.restoreState(instance);
        check("restored", mds.getSumOfIncrements(instance), expected(MAP, 4), 1e-12);
        mds.storeState(instance);
        mds.updateLocations(instance, 3, new double[] {2, -0.5});
        mds.setParameters(instance, new double[] {9});
        mds.acceptState(instance);
        check("accepted", mds.getSumOfIncrements(instance), expected(moved, 9), 1e-12);
        gradient(instance, moved, 9);
        if (!Arrays.equals(mds.getPairwiseData(instance), FIVE)) {
            throw new AssertionError("pairwise data: " + Arrays.toString(mds.getPairwiseData(instance)));
        }
        double[] derivatives = new double[25];
        mds.getObservationGradient(instance, derivatives);
        check("observation", derivatives[1], -9 * (1.25 - distance(moved, 0, 1)), 1e-12);
        check("the same", derivatives[5], derivatives[1], 0);
        check("missing", derivatives[7], 0, 0);
    }

    static void gradient(int instance, double[] map, double tau) {
        double[] gradient = new double[10];
        mds.getLocationGradient(instance, gradient);
        for (int at = 0; at < 10; at++) {
            double[] up = map.clone(), down = map.clone();
            up[at] += 1e-6;
            down[at] -= 1e-6;
            check("gradient", gradient[at], (expected(down, tau) - expected(up, tau)) / 2e-6, 1e-6);
        }
    }

    static void rectangular(int instance) {
        // Three viruses, two sera, one titre missing; BEAST X counts the five itself.
        double[] data = {1, 2, NA, 0.5, 1.5, 1};
        mds.setPairwiseData(instance, data);
        mds.updateLocations(instance, -1, MAP);
        mds.setParameters(instance, new double[] {2});
        double sum = 0;
        for (int at = 0; at < 6; at++) {
            double residual = data[at] - distance(MAP, at / 2, 3 + at % 2);
            sum += Double.isNaN(residual) ? 0 : residual * residual;
        }
        check("rectangle", mds.getSumOfIncrements(instance), sum, 1e-12);
        // BEAST X restores without sending the data again.
        mds.storeState(instance);
        mds.setPairwiseData(instance, new double[] {2, 2, 2, 2, 2, 2});
        if (mds.getSumOfIncrements(instance) == sum) {
            throw new AssertionError("the new data are not used");
        }
        mds.restoreState(instance);
        check("restored rectangle", mds.getSumOfIncrements(instance), sum, 1e-12);
        if (!Arrays.equals(mds.getPairwiseData(instance), data)) {
            throw new AssertionError("data of a rectangle");
        }
        mds.getObservationGradient(instance, new double[6]);
        mds.getLocationGradient(instance, new double[10]);
    }

    /** With all at one point, each of nine pairs adds log Phi(0). */
    static void truncated(int instance) {
        mds.setPairwiseData(instance, FIVE);
        mds.setParameters(instance, new double[] {4});
        mds.updateLocations(instance, -1, new double[10]);
        double[] origin = new double[10];
        check("truncated", mds.getSumOfIncrements(instance), expected(origin, 4) + 9 * Math.log(0.5), 1e-12);
        double[] gradient = new double[10];
        Arrays.fill(gradient, 5);
        mds.getLocationGradient(instance, gradient);
        if (!Arrays.equals(gradient, new double[10])) {
            throw new AssertionError("coincident objects: " + Arrays.toString(gradient));
        }
    }

    static void wrongArguments() {
        int fresh = mds.initialize(2, 5, 1);
        int ready = mds.initialize(2, 5, 1);
        mds.setPairwiseData(ready, FIVE);
        mds.updateLocations(ready, -1, MAP);
        fails(() -> mds.initialize(0, 5, 1), "no map");
        fails(() -> mds.initialize(-1, 5, 1), "below zero");
        fails(() -> mds.initialize(2, -5, 1, 0, 0), "below zero");
        fails(() -> mds.initialize(2, 0, 3, 1, 0, 0), "no map");
        fails(() -> mds.initialize(Integer.MAX_VALUE, Integer.MAX_VALUE, 1), "do not fit");
        fails(() -> mds.initialize(2, 5, -1L), "beast-flags");
        fails(() -> mds.initialize(2, 5, 1L << 50), "beast-flags");
        for (int instance : new int[] {-1, 1 << 20, Integer.MIN_VALUE}) {
            fails(() -> mds.getSumOfIncrements(instance), "no instance");
            fails(() -> mds.updateLocations(instance, -1, MAP), "no instance");
            fails(() -> mds.storeState(instance), "no instance");
            fails(() -> mds.restoreState(instance), "no instance");
            fails(() -> mds.acceptState(instance), "no instance");
            fails(() -> mds.makeDirty(instance), "no instance");
            fails(() -> mds.setPairwiseData(instance, FIVE), "no instance");
            fails(() -> mds.setParameters(instance, new double[1]), "no instance");
            fails(() -> mds.getPairwiseData(instance), "no instance");
            fails(() -> mds.getLocationGradient(instance, MAP), "no instance");
            fails(() -> mds.getObservationGradient(instance, MAP), "no instance");
            fails(() -> mds.getInternalDimension(instance), "no instance");
        }
        fails(() -> mds.updateLocations(ready, -1, null), "not null");
        fails(() -> mds.setPairwiseData(ready, null), "not null");
        fails(() -> mds.setParameters(ready, null), "not null");
        fails(() -> mds.getLocationGradient(ready, null), "not null");
        fails(() -> mds.getObservationGradient(ready, null), "not null");
        fails(() -> mds.updateLocations(ready, -2, MAP), "below zero");
        fails(() -> mds.updateLocations(ready, 5, new double[2]), "no location 5");
        fails(() -> mds.updateLocations(ready, 1, new double[3]), "3 numbers");
        fails(() -> mds.updateLocations(ready, -1, new double[0]), "0 numbers");
        fails(() -> mds.setPairwiseData(ready, new double[24]), "24 numbers");
        fails(() -> mds.setParameters(ready, new double[2]), "2 numbers");
        fails(() -> mds.getLocationGradient(ready, new double[9]), "9 numbers");
        fails(() -> mds.getSumOfIncrements(fresh), "setPairwiseData first");
        fails(() -> mds.restoreState(fresh), "storeState first");
        check("untouched", mds.getSumOfIncrements(ready), expected(MAP, 1), 1e-12);
    }

    static void fails(Runnable call, String words) {
        try {
            call.run();
        } catch (RuntimeException exception) {
            String message = String.valueOf(exception.getMessage());
            if (message.contains(words) && message.startsWith("sbmds: ") && message.contains("Remedy: ")) {
                return;
            }
            throw new AssertionError("expected " + words + ", found " + message);
        }
        throw new AssertionError("no exception: " + words);
    }

    /** Instances of their own in parallel, and one that all threads share. */
    static void manyThreads() throws Exception {
        int shared = mds.initialize(2, 5, 1);
        mds.setPairwiseData(shared, FIVE);
        mds.updateLocations(shared, -1, MAP);
        Throwable[] problem = new Throwable[1];
        Thread[] threads = new Thread[4];
        for (int k = 0; k < threads.length; k++) {
            threads[k] = new Thread(() -> {
                for (int round = 0; round < 50; round++) {
                    symmetric(mds.initialize(2, 5, 1));
                    check("shared", mds.getSumOfIncrements(shared), expected(MAP, 1), 1e-12);
                }
            });
            threads[k].setUncaughtExceptionHandler((thread, thrown) -> problem[0] = thrown);
            threads[k].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        if (problem[0] != null) {
            throw new AssertionError(problem[0]);
        }
    }

    static final int CYCLES = 1_000_000;

    /** A million rejected proposals leave every bit as it was, and no memory behind. */
    static void manyCycles() throws Exception {
        int instance = mds.initialize(2, 40, 33);
        Random random = new Random(1);
        double[] data = random.doubles(1600, 0.1, 3).toArray();
        mds.setPairwiseData(instance, data);
        mds.setParameters(instance, new double[] {3});
        mds.updateLocations(instance, -1, random.doubles(80, -1, 1).toArray());
        double first = mds.getSumOfIncrements(instance);
        double[] to = {0.5, -0.25};
        double[] gradient = new double[80];
        long before = 0;
        for (int cycle = 0; cycle < CYCLES; cycle++) {
            if (cycle == CYCLES / 10) {
                before = residentKilobytes();
            }
            mds.storeState(instance);
            to[0] = cycle % 13 * 0.1;
            mds.updateLocations(instance, cycle % 40, to);
            mds.getSumOfIncrements(instance);
            if (cycle % 100 == 0) {
                mds.getLocationGradient(instance, gradient);
            }
            mds.restoreState(instance);
        }
        if (mds.getSumOfIncrements(instance) != first) {
            throw new AssertionError("the sum drifted from " + first + " to " + mds.getSumOfIncrements(instance));
        }
        mds.makeDirty(instance);
        check("all pairs again", mds.getSumOfIncrements(instance), first, 1e-13);
        long grown = residentKilobytes() - before;
        // A leak of 64 bytes a cycle would be 56,000 kB.
        if (grown > 30_000) {
            throw new AssertionError("memory grew by " + grown + " kB");
        }
        System.out.println(CYCLES + " cycles: memory grew by " + grown + " kB");
    }

    static long residentKilobytes() throws Exception {
        System.gc();
        for (String line : Files.readAllLines(Paths.get("/proc/self/status"))) {
            if (line.startsWith("VmRSS:")) {
                return Long.parseLong(line.replaceAll("[^0-9]", ""));
            }
        }
        return 0;
    }

    static void check(String what, double found, double expected, double tolerance) {
        if (!(Math.abs(found - expected) <= tolerance * Math.max(1, Math.abs(expected)))) {
            throw new AssertionError(what + ": " + found + " instead of " + expected);
        }
    }
}
