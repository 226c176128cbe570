// SPDX-License-Identifier: BSD-2-Clause
// MakeGuava FOLDER: writes the filters of Guava, and those that are like Spark's.
//
// The filters of Guava are written by Guava.  Spark cannot be had here.  Its filters are made
// from its published algorithm with Guava's Murmur3, for keys for which both hashes agree:
// longs, and texts of a multiple of four bytes.
import com.google.common.hash.BloomFilter;
import com.google.common.hash.Funnel;
import com.google.common.hash.Funnels;
import com.google.common.hash.HashFunction;
import com.google.common.hash.Hashing;
import java.io.DataOutputStream;
import java.io.FileOutputStream;
import java.io.OutputStream;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

public class MakeGuava {
    static final int MEMBERS = 100, MORE = 150;
    static Path folder;

    /** What both kinds of filters can do. */
    interface Filter<T> {
        void put(T key);
        boolean mightContain(T key);
        void write(OutputStream out) throws Exception;
    }

    static <T> void make(String name, String keys, Function<String, T> value, Filter<T> filter)
            throws Exception {
        List<String> lines = Files.readAllLines(folder.resolve(keys + ".keys"));
        lines.subList(0, MEMBERS).forEach(line -> filter.put(value.apply(line)));
        save(name + ".filter", filter);
        List<String> found = new ArrayList<>(lines.subList(MORE, lines.size()));
        found.removeIf(line -> !filter.mightContain(value.apply(line)));
        Files.write(folder.resolve(name + ".found"), found);
        lines.subList(MEMBERS, MORE).forEach(line -> filter.put(value.apply(line)));
        save(name + "-more.filter", filter);
    }

    static void save(String name, Filter<?> filter) throws Exception {
        try (OutputStream out = new FileOutputStream(folder.resolve(name).toFile())) {
            filter.write(out);
        }
    }

    /** strategy: the number of a strategy, or -1 for the default.  Guava does not offer the choice. */
    @SuppressWarnings("unchecked")
    static <T> Filter<T> guava(Funnel<? super T> funnel, int strategy) throws Exception {
        BloomFilter<T> made;
        if (strategy < 0) {
            made = BloomFilter.create(funnel, MEMBERS, 0.1);
        } else {
            Class<?> type = Class.forName("com.google.common.hash.BloomFilter$Strategy");
            Class<?> all = Class.forName("com.google.common.hash.BloomFilterStrategies");
            Method create = BloomFilter.class.getDeclaredMethod("create", Funnel.class, long.class,
                double.class, type);
            create.setAccessible(true);
            made = (BloomFilter<T>) create.invoke(null, funnel, (long) MEMBERS, 0.1,
                all.getEnumConstants()[strategy]);
        }
        return new Filter<T>() {
            public void put(T key) { made.put(key); }
            public boolean mightContain(T key) { return made.mightContain(key); }
            public void write(OutputStream out) throws Exception { made.writeTo(out); }
        };
    }

    static class Spark implements Filter<byte[]> {
        final int version, seed, hashes = 3;
        final long[] words = new long[8];

        Spark(int version, int seed) {
            this.version = version;
            this.seed = seed;
        }

        @SuppressWarnings("deprecation")
        static int murmur(byte[] key, int seed) {
            HashFunction function = Hashing.murmur3_32_fixed(seed);
            return function.hashBytes(key).asInt();
        }

        /** The bits of a key, as Spark computes them with signed integers. */
        long[] bits(byte[] key) {
            int h1 = murmur(key, seed), h2 = murmur(key, h1);
            long[] bits = new long[hashes];
            long size = 64L * words.length, sum = (long) h1 * Integer.MAX_VALUE;
            for (int i = 1; i <= hashes; i++) {
                int combined = h1 + i * h2;
                sum += h2;
                long chosen = version == 1 ? combined : sum;
                bits[i - 1] = (chosen < 0 ? ~chosen : chosen) % size;
            }
            return bits;
        }

        public void put(byte[] key) {
            for (long bit : bits(key))
                words[(int) (bit >> 6)] |= 1L << bit;
        }

        public boolean mightContain(byte[] key) {
            for (long bit : bits(key))
                if ((words[(int) (bit >> 6)] & 1L << bit) == 0)
                    return false;
            return true;
        }

        public void write(OutputStream out) throws Exception {
            DataOutputStream data = new DataOutputStream(out);
            data.writeInt(version);
            data.writeInt(hashes);
            if (version == 2)
                data.writeInt(seed);
            data.writeInt(words.length);
            for (long word : words)
                data.writeLong(word);
        }
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    static byte[] longBytes(String text) {
        return com.google.common.primitives.Longs.toByteArray(
            Long.reverseBytes(Long.parseLong(text)));
    }

    public static void main(String[] arguments) throws Exception {
        folder = Path.of(arguments[0]);
        Function<String, CharSequence> text = line -> line;
        make("guava-string", "text", text, guava(Funnels.stringFunnel(StandardCharsets.UTF_8), -1));
        make("guava-bytes", "text", MakeGuava::bytes, guava(Funnels.byteArrayFunnel(), -1));
        make("guava-chars", "text", text, guava(Funnels.unencodedCharsFunnel(), -1));
        make("guava-int", "int32", Integer::valueOf, guava(Funnels.integerFunnel(), -1));
        make("guava-long", "int64", Long::valueOf, guava(Funnels.longFunnel(), -1));
        make("guava-old", "text", text, guava(Funnels.stringFunnel(StandardCharsets.UTF_8), 0));
        make("guava-old-long", "int64", Long::valueOf, guava(Funnels.longFunnel(), 0));
        make("spark-1", "fours", MakeGuava::bytes, new Spark(1, 0));
        make("spark-1-long", "int64", MakeGuava::longBytes, new Spark(1, 0));
        make("spark-2", "fours", MakeGuava::bytes, new Spark(2, 0));
        make("spark-2-long", "int64", MakeGuava::longBytes, new Spark(2, -77));
    }
}
