import type { ObjectDefinition } from '@tributary/connector-kit'
import { changeObjects } from './changes.ts'
import { capitalized, withArticle } from './settings.ts'
import { writeLine } from './write-line.ts'

/** The objects that events are written to. */
const objects = (file: string): readonly ObjectDefinition[] => [
  {
    name: 'lines',
    title: `Lines of ${file}s`,
    description: `One line of JSON per event, in ${file}s by day and hour.`,
    syncModes: ['INSERT_ONLY'],
    identifiers: [],
    actions: ['write_line'],
  },
]

/** The last steps of the set-up guide: where files are, and how often they are written. */
const steps = (file: string) => [
  {
    title: `Find your ${file}s`,
    text: `Each ${file} holds events received in one hour (UTC). Athena, Spark, DuckDB, and others read \`dt\` and \`hr\` as partitions. ${capitalized(file)}s are named after their events, so a retried batch replaces itself.`,
    code: 'events/dt=2026-01-31/hr=13/{first event}-{hash}.json.gz',
    language: 'text',
  },
  {
    title: 'Rows of syncs',
    text: 'A sync writes each change of a row as a line of JSON or CSV, or as a row of a Parquet file, in the folder you name. Before the mapped fields, it has `_operation` (`upsert` or `delete`), `_key`, and `_written_at`. What was written is never changed: of the lines of a key, the one written last holds. All columns of Parquet are text, so numbers keep their digits.',
    code: 'events/customers/run={run}/{first row}-{hash}.csv.gz',
    language: 'text',
  },
  {
    title: 'How often',
    text: `${capitalized(withArticle(file))} is written when the longest wait is over, with 10,000 events, or with 5 MB before compression. Every event arrives at least once: when the storage took ${withArticle(file)} and the answer was lost, events may be in two. Each has an \`eventId\` of its own to drop repeats by.`,
  },
]

/** Returns the parts of a definition that are the same for all storages; `file` is what a file is called there. */
export const storageDefinition = (file: string) => ({
  steps: steps(file),
  parts: {
    category: 'Databases and storage' as const,
    kinds: ['Event Streams', 'ETL'] as const,
    auth: 'key' as const,
    objects: objects(file),
    actions: [writeLine],
    presets: [{ action: 'write_line', fields: {} }],
    batching: ({ wait_seconds: seconds }: { readonly wait_seconds: number }) => ({
      maxEvents: 10_000,
      maxBytes: 5 * 1024 * 1024,
      maxWaitMs: seconds * 1000,
    }),
    // A batch is large. Sending one batch at a time limits the memory that a destination needs.
    concurrency: 1,
    rowObjects: changeObjects,
  },
})
