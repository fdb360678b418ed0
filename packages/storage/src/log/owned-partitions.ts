import type { LogReader } from './port.ts'

/**
 * Returns a reader for an owner of some partitions. All other partitions appear to be always empty, and are not waited
 * for. Closing the returned reader closes `reader`.
 */
export const readerOfOwned = (reader: LogReader, owned: ReadonlySet<number>): LogReader => {
  const ofOwned = (offsets: readonly number[]): number[] =>
    offsets.map((offset, partition) => (owned.has(partition) ? offset : 0))
  return {
    ...reader,
    read: async (partition, ...rest) => (owned.has(partition) ? await reader.read(partition, ...rest) : []),
    wait: (from, signal) =>
      reader.wait(
        from.filter(({ partition }) => owned.has(partition)),
        signal,
      ),
    ends: async () => ofOwned(await reader.ends()),
    starts: async () => ofOwned(await reader.starts()),
    incarnations: async (partition) => (owned.has(partition) ? await reader.incarnations(partition) : []),
    positionsBefore: async (time) =>
      (await reader.positionsBefore(time)).filter(({ partition }) => owned.has(partition)),
  }
}
