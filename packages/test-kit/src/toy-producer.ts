import { DatabaseSync } from 'node:sqlite'
import { type DeliveryMeta, type OutboundRow, outboundBody, outcomesOf } from '@tributary/contract'
import { type LogReader, type LogWriter, partitionOf } from '@tributary/storage'

export type ToyProducerDeps = {
  /** The file of the producer's own database, with the rows to send and their outcomes. */
  file: string
  name: string
  workspaceId: string
  /** The origin of the rows, such as a sync. */
  originId: string
  destinationId: string
  stream: Pick<LogWriter, 'appendGroup' | 'beginEpoch' | 'lastSequences'>
  outcomes: LogReader
}

/**
 * A minimal producer of rows. It may be killed at any time: rows are stored before they are sent, the stream stores
 * their last sequence with them, and outcomes are stored with their position.
 */
export const openToyProducer = async (deps: ToyProducerDeps) => {
  const { name, workspaceId, originId, destinationId, stream, outcomes } = deps
  const db = new DatabaseSync(deps.file)
  db.exec(`create table if not exists row (number integer primary key, row text not null, version integer not null
    default -1, status text not null default '', reason text not null default '');
    create table if not exists place (one integer primary key, next integer not null)`)
  // From now on, an earlier producer with this name can no longer append.
  const epoch = await stream.beginEpoch(name)
  let sent = (await stream.lastSequences(name))[0]?.sequence ?? 0

  return {
    /** Stores rows to send. */
    add(rows: readonly Omit<OutboundRow, 'recordId'>[]): void {
      for (const row of rows) db.prepare('insert into row (row) values (?)').run(JSON.stringify(row))
    },
    /**
     * Appends rows that were not appended yet. Rejects if the stream cannot be written; it can then be called again.
     */
    async send(): Promise<void> {
      const next = db.prepare(`select number, row from row where number > ? order by number limit 50`)
      for (let found = next.all(sent); found.length > 0; found = next.all(sent)) {
        const rows = found.map(({ number, row }) => ({
          recordId: `${name}.${Number(number)}`,
          ...JSON.parse(String(row)),
        }))
        const meta: DeliveryMeta = {
          w: workspaceId,
          s: originId,
          d: [destinationId],
          n: rows.length,
          b: { k: 'sync', n: name },
        }
        const sequence = Number(found.at(-1)?.number)
        const entry = { key: workspaceId, meta: JSON.stringify(meta), body: Buffer.from(outboundBody(rows)) }
        await stream.appendGroup([entry], { producer: name, epoch, sequence })
        sent = sequence
      }
    },
    /** Reads new outcomes. Some may be known already: the version decides which of two is later. */
    async learn(): Promise<void> {
      const partition = partitionOf(name, outcomes.partitions)
      const from = Number(db.prepare('select next from place').get()?.next ?? 0)
      const records = await outcomes.read(partition, from, 1024 * 1024)
      const note = db.prepare('update row set version = ?, status = ?, reason = ? where number = ? and version < ?')
      db.exec('begin')
      for (const record of records.filter(({ key }) => key === name))
        for (const { recordId, version, status, reason } of outcomesOf(record))
          note.run(version, status, reason, Number(recordId.slice(name.length + 1)), version)
      db.prepare('insert or replace into place values (1, ?)').run((records.at(-1)?.offset ?? from - 1) + 1)
      db.exec('commit')
    },
    /** The outcome of each row: '' while there is none. */
    rows: () =>
      Array.from(db.prepare('select status, reason from row order by number').iterate(), ({ status, reason }) => ({
        status: String(status),
        reason: String(reason),
      })),
    close: () => db.close(),
  }
}
