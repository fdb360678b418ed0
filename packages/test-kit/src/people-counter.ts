import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, truncateSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { type Consumer, createEventConsumer, type EventConsumerDeps, valuesOf } from '@tributary/storage'

/** A consumer that counts the people in the events of its partitions. */
export type PeopleCounter = Consumer & {
  /** The number of different user IDs in the handled events of a workspace. */
  people(workspaceId: string): number
}

/** The state of a partition: a file with one line per person, and the same in memory. */
type Kept = { file: number; lines: Set<string> }

const openKept = (path: string): Kept => {
  const file = openSync(path, 'a+')
  const text = readFileSync(path, 'utf8')
  // A kill may have left an incomplete line: its event is handled again.
  const whole = text.slice(0, text.lastIndexOf('\n') + 1)
  truncateSync(path, Buffer.byteLength(whole))
  return { file, lines: new Set(whole.split('\n').slice(0, -1)) }
}

/**
 * Counts people: the smallest possible consumer, and a template for new ones. Its durable work is a line for each new
 * person. A known person adds nothing, so events may be repeated; a consumer that sums up must store the ID of the last
 * event with the sum. Its state is per partition, so that any partition can move to another process.
 */
export const createPeopleCounter = ({
  folder,
  ...deps
}: Omit<EventConsumerDeps, 'name' | 'handle' | 'end'> & { folder: string }): PeopleCounter => {
  mkdirSync(folder, { recursive: true })
  const partitions = new Map<number, Kept>()

  const keptOf = (partition: number): Kept => {
    const kept = partitions.get(partition) ?? openKept(join(folder, `people-${partition}.txt`))
    partitions.set(partition, kept)
    return kept
  }

  const consumer = createEventConsumer({
    ...deps,
    name: 'people',
    async handle(events, partition) {
      const { file, lines } = keptOf(partition)
      const found = events
        .map((event) => ({ workspaceId: event.workspaceId, userId: valuesOf(event).userId }))
        .filter(({ userId }) => userId !== undefined)
        .map((person) => JSON.stringify(person))
      const fresh = [...new Set(found)].filter((line) => !lines.has(line))
      if (fresh.length === 0) return
      writeSync(file, fresh.map((line) => `${line}\n`).join(''))
      fsyncSync(file)
      for (const line of fresh) lines.add(line)
    },
    end(partition) {
      const kept = partitions.get(partition)
      if (kept !== undefined) closeSync(kept.file)
      partitions.delete(partition)
    },
  })

  return {
    ...consumer,
    give(given) {
      for (const partition of given) keptOf(partition)
      consumer.give(given)
    },
    people: (workspaceId) =>
      [...partitions.values()]
        .flatMap(({ lines }) => [...lines])
        .filter((line) => JSON.parse(line).workspaceId === workspaceId).length,
  }
}
