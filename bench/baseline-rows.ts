/** Rows of the table `events` in RowBinary, made from bodies of batches. */
export type BaselineRows = {
  columns: readonly string[]
  /** Adds the events of a body. `offset` is the position of the body in its file. */
  add(body: Buffer, offset: number): void
  count(): number
  /** Returns the rows so far, and removes them. */
  take(): { bytes: Buffer; count: number }
}

// biome-ignore format: in the order in which a row is written
const columns = [
  'workspace_id', 'source_id', 'receive_time', 'event_id', 'message_id', 'type', 'event', 'user_id', 'anonymous_id',
  'group_id', 'previous_id', 'ip', 'test', 'timestamp', 'original_timestamp', 'sent_at', 'status', 'reason',
  'compatibility', 'schema_version', 'problems', 'properties', 'traits', 'context', 'integrations', 'original',
]

type Batch = { batch: Record<string, unknown>[] }

const workspace = '0190b5b0-5b7a-7000-8000-000000000000'
const source = '0190b5b0-5b7a-7000-8000-000000000001'

/** Creates the rows in the simplest way that is fast enough: one growing buffer, and `Buffer.write` for every text. */
export const createBaselineRows = (): BaselineRows => {
  let room = Buffer.allocUnsafe(1024 * 1024)
  let length = 0
  let count = 0

  const size = (value: number): void => {
    let rest = value
    while (rest > 0x7f) {
      room[length++] = (rest & 0x7f) | 0x80
      rest >>>= 7
    }
    room[length++] = rest
  }
  const text = (value: unknown): void => {
    const known = typeof value === 'string' ? value : ''
    const bytes = Buffer.byteLength(known)
    size(bytes)
    length += room.write(known, length)
  }
  const json = (value: unknown): void => text(value === undefined ? '{}' : JSON.stringify(value))
  const time = (ms: number): void => {
    length = room.writeBigInt64LE(BigInt(ms), length)
  }
  const optionalTime = (value: unknown): void => {
    const ms = typeof value === 'string' ? Date.parse(value) : Number.NaN
    room[length++] = Number.isNaN(ms) ? 1 : 0
    if (!Number.isNaN(ms)) time(ms)
  }
  const reserve = (bytes: number): void => {
    if (length + bytes <= room.length) return
    const larger = Buffer.allocUnsafe(Math.max(room.length * 2, length + bytes))
    room.copy(larger, 0, 0, length)
    room = larger
  }

  const row = (event: Record<string, unknown>, id: string, now: number): void => {
    const original = JSON.stringify(event)
    reserve(original.length * 9 + 1024)
    text(workspace)
    text(source)
    time(now)
    text(id)
    for (const name of ['messageId', 'type', 'event', 'userId', 'anonymousId', 'groupId', 'previousId'])
      text(event[name])
    text('127.0.0.1')
    room[length++] = 0
    time(typeof event['timestamp'] === 'string' ? Date.parse(event['timestamp']) : now)
    optionalTime(event['timestamp'])
    optionalTime(event['sentAt'])
    text('accepted')
    text('')
    text('')
    length = room.writeUInt32LE(0, length)
    size(0)
    json(event['properties'])
    json(event['traits'])
    text(JSON.stringify(event['context']))
    text('')
    text(original)
    count++
  }

  return {
    columns,
    add(body, offset) {
      const { batch }: Batch = JSON.parse(body.toString())
      const now = Date.now()
      for (const [index, event] of batch.entries()) row(event, `0-${offset}-${index}`, now)
    },
    count: () => count,
    take() {
      const taken = { bytes: Buffer.from(room.subarray(0, length)), count }
      length = 0
      count = 0
      return taken
    },
  }
}
