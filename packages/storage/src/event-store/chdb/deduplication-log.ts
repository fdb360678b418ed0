import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { open, readdir } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * The engine writes the token of an insert to its deduplication log right before it renames the finished part. Observed
 * with strace, engine 26.7: a tenth of a millisecond before, and without a sync. A kill in between leaves a token
 * without rows: the repeated insert would be treated as a duplicate, and its rows would be lost. So the logs are
 * repaired before the engine opens the folder. A power loss may have the opposite effect, rows without a token: so the
 * log is synced before an insert is acknowledged. Rows on disk without a token then belong to an insert that was in
 * flight. Events of such an insert are removed before the engine opens the folder, because the pipeline repeats the
 * insert.
 */
const folder = 'deduplication_logs'

type PartRange = { partition: string; least: number; most: number }

/** Parses `<partition>_<least block>_<largest block>_<level>[_<mutation>]`; undefined for any other name. */
export const parsePart = (name: string): PartRange | undefined => {
  const found = /^([0-9A-Za-z-]+)_(\d+)_(\d+)_\d+(?:_\d+)?$/.exec(name)
  if (found === null) return undefined
  return { partition: found[1] ?? '', least: Number(found[2]), most: Number(found[3]) }
}

const covers = (part: PartRange, other: PartRange): boolean =>
  part.partition === other.partition && part.least <= other.least && part.most >= other.most

/**
 * Removes from the log the tokens of parts that neither exist nor were merged into an existing part, and torn lines.
 * Tokens that the engine itself has voided (operation 2) stay unchanged. `names` are the part folders of the table.
 */
export const withoutLostParts = (log: string, names: readonly string[]): string => {
  const parts = names.flatMap((name) => parsePart(name) ?? [])
  const lines = log.split('\n').flatMap((line) => {
    const [operation, name, block, ...rest] = line.split('\t')
    const part = parsePart(name ?? '')
    if ((operation !== '1' && operation !== '2') || part === undefined || !block || rest.length > 0) return []
    return [{ line, operation, block, part }]
  })
  const takenBack = new Set(lines.filter(({ operation }) => operation === '2').map(({ block }) => block))
  const kept = lines.filter(({ block, part }) => takenBack.has(block) || parts.some((present) => covers(present, part)))
  return kept.map(({ line }) => `${line}\n`).join('')
}

/** Maximum parts without tokens that inserts in flight can leave. If there are more, the log itself is not trusted. */
const maxUnacknowledged = 64

/**
 * The parts whose inserts were never acknowledged: those created after the newest part in the repaired logs of their
 * table. The engine numbers the parts of a table in the order in which it writes their tokens. Empty if the logs name
 * no part.
 */
export const unacknowledgedParts = (logs: string, names: readonly string[]): readonly string[] => {
  const known = logs.split('\n').flatMap((line) => parsePart(line.split('\t')[1] ?? '')?.most ?? [])
  if (known.length === 0) return []
  const newest = known.reduce((max, block) => Math.max(max, block))
  const parts = names.filter((name) => (parsePart(name)?.least ?? 0) > newest)
  return parts.length > maxUnacknowledged ? [] : parts
}

/** Tables in which every insert has a token and is repeated until it is acknowledged. */
const repeatedTables = ['events']

/** The folders of tables whose inserts are repeated; the engine names the tables by links. */
const repeatedTableDirs = (engineDir: string): ReadonlySet<string> => {
  const data = join(engineDir, 'data')
  const databases = existsSync(data) ? readdirSync(data) : []
  const links = databases.flatMap((name) => repeatedTables.map((table) => join(data, name, table)))
  return new Set(links.filter((link) => existsSync(link)).map((link) => realpathSync(link)))
}

const syncFolder = (path: string): void => {
  const handle = openSync(path, 'r')
  fsyncSync(handle)
  closeSync(handle)
}

const replaceFile = (file: string, text: string): void => {
  const draft = `${file}.draft`
  const handle = openSync(draft, 'w')
  writeSync(handle, text)
  fsyncSync(handle)
  closeSync(handle)
  renameSync(draft, file)
}

const isLog = (name: string): boolean => /^deduplication_log_\d+\.txt$/.test(name)

/**
 * Repairs the logs of every table below the engine's folder, and removes the unacknowledged parts of repeated inserts.
 * Call it only while no engine has the folder open.
 */
export const repairDeduplicationLogs = (engineDir: string): void => {
  const store = join(engineDir, 'store')
  if (!existsSync(store)) return
  const repeated = repeatedTableDirs(engineDir)
  for (const prefix of readdirSync(store)) {
    for (const table of readdirSync(join(store, prefix))) {
      const logs = join(store, prefix, table, folder)
      if (!existsSync(logs)) continue
      const names = readdirSync(join(store, prefix, table))
      const kept = readdirSync(logs)
        .filter(isLog)
        .map((name) => {
          const file = join(logs, name)
          const text = readFileSync(file, 'utf8')
          const repaired = withoutLostParts(text, names)
          if (repaired !== text) replaceFile(file, repaired)
          return repaired
        })
      syncFolder(logs)
      if (!repeated.has(realpathSync(join(store, prefix, table)))) continue
      for (const name of unacknowledgedParts(kept.join(''), names)) {
        // Renamed first, because the engine refuses to open a folder with an incomplete part.
        const removed = join(store, prefix, table, `delete_tmp_${name}`)
        renameSync(join(store, prefix, table, name), removed)
        rmSync(removed, { recursive: true, force: true })
      }
    }
  }
}

/**
 * Syncs the newest two logs of a table (two, because the engine may just have begun one). Does nothing for a table
 * without logs.
 */
export const syncDeduplicationLog = async (tableDir: string): Promise<void> => {
  const logs = join(tableDir, folder)
  const names = await readdir(logs).catch(() => [])
  const newest = names
    .filter(isLog)
    .toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }))
    .slice(-2)
  for (const name of newest) {
    const file = await open(join(logs, name), 'r+')
    try {
      await file.datasync()
    } finally {
      await file.close()
    }
  }
}
