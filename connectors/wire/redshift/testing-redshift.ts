import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** The words of PostgreSQL that Redshift lacks, in statements of ours. */
const unknownWords =
  /\bno scroll\b|\bwith hold\b|\bfilter \(where|\bwith ordinality\b|\brows from\b|\bon conflict\b|\breturning\b|\bset_config\(|\bjson_populate_recordset\b/i

/** Parameters of a session that only Redshift has. */
const ownParameters =
  /\bset (enable_case_sensitive_identifier|describe_field_name_in_uppercase|json_serialization_enable) /gi

/** Returns a statement that fails with this message, inside and outside of a transaction. */
const refusal = (message: string, state = '42601'): string =>
  `do $refused$ begin raise exception using message = '${message.replaceAll("'", "''")}', errcode = '${state}'; end $refused$`

/** Returns the statement that PostgreSQL runs in place of one for Redshift. */
const translated = (statement: string): string => {
  const [, words] = unknownWords.exec(statement) === null ? [] : [0, unknownWords.exec(statement)?.[0]]
  if (words !== undefined) return refusal(`syntax error at or near "${words}"`)
  const [, rows] = /^\s*fetch forward (\d+) /i.exec(statement) ?? []
  // A message of a cluster with one node.
  if (Number(rows) > 1000)
    return refusal(`Fetch size ${rows} exceeds the limit of 1000 for a single node configuration.`)
  return statement
    .replace(ownParameters, 'set redshift.$1 ')
    .replace('version() as version', `'PostgreSQL 8.0.2 on i686-pc-linux-gnu, Redshift 1.0.51986'::text as version`)
}

/** Returns a message of a client with its translated statement. */
const translatedMessage = (message: Buffer, change: (statement: string) => string): Buffer => {
  const kind = message.toString('latin1', 0, 1)
  if (kind !== 'Q' && kind !== 'P') return message
  // A statement that is prepared has its own name first.
  const start = kind === 'Q' ? 5 : message.indexOf(0, 5) + 1
  const end = message.indexOf(0, start)
  const text = Buffer.from(change(message.toString('utf8', start, end)))
  const changed = Buffer.concat([message.subarray(0, start), text, message.subarray(end)])
  changed.writeUInt32BE(changed.length - 1, 1)
  return changed
}

const cancelCode = 80877102

/** A stand-in of Redshift in front of a PostgreSQL server, which refuses what Redshift lacks. */
export type RedshiftProxy = AsyncDisposable & {
  port: number
  /** The statements of clients, as they sent them. */
  statements: string[]
  /** Number of requests to cancel. */
  cancels(): number
  /** Number of open connections. */
  connections(): number
  cut(): void
}

/** Starts the stand-in. `before` sees each statement first, and can return another one. */
export const startRedshiftProxy = async (
  serverPort: number,
  before: (statement: string) => string | Promise<string> = (statement) => statement,
): Promise<RedshiftProxy> => {
  const statements: string[] = []
  const open = new Set<Socket>()
  let cancels = 0

  /** Handles what a client sent; returns what is left of it. */
  const handled = async (data: Buffer, state: { started: boolean }, server: Socket): Promise<Buffer> => {
    let rest = data
    for (;;) {
      const at = state.started ? 1 : 0
      if (rest.length < at + 4) return rest
      const length = at + rest.readUInt32BE(at)
      if (rest.length < length) return rest
      const message = rest.subarray(0, length)
      rest = rest.subarray(length)
      if (!state.started) {
        if (message.readUInt32BE(4) === cancelCode) cancels++
        // PostgreSQL 8 has no such parameter.
        if (message.includes('lock_timeout')) server.destroy()
        state.started = true
        server.write(message)
        continue
      }
      const asked: string[] = []
      const noted = translatedMessage(message, (statement) => {
        asked.push(statement)
        return statement
      })
      const [statement] = asked
      if (statement === undefined) server.write(noted)
      else {
        statements.push(statement)
        const changed = await before(statement)
        server.write(translatedMessage(message, () => translated(changed)))
      }
    }
  }

  const server = createServer((client) => {
    const peer = connect(serverPort, '127.0.0.1')
    const state = { started: false }
    let work: Promise<Buffer> = Promise.resolve(Buffer.alloc(0))
    open.add(client)
    client.on('data', (chunk: Buffer) => {
      work = work.then((rest) => handled(Buffer.concat([rest, chunk]), state, peer))
      work.catch(() => client.destroy())
    })
    peer.pipe(client)
    client
      .on('error', () => {})
      .on('close', () => {
        open.delete(client)
        peer.destroy()
      })
    peer.on('error', () => {}).on('close', () => client.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const cut = (): void => {
    for (const socket of open) socket.destroy()
  }
  return {
    port,
    statements,
    cancels: () => cancels,
    connections: () => open.size,
    cut,
    [Symbol.asyncDispose]: async () => {
      cut()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Statements for an administrator of PostgreSQL that create the catalogs of Redshift which the product reads. */
export const redshiftCatalogs = `set allow_system_table_mods = on;
  create table public.more_tables (table_schema text, table_name text, table_type text);
  create table public.more_columns (table_schema text, table_name text, column_name text, ordinal_position int,
    data_type text, character_maximum_length int, numeric_precision int, numeric_scale int, is_nullable text);
  create view pg_catalog.svv_tables as
    select table_schema::text, table_name::text, table_type::text from information_schema.tables
      where table_name not in ('more_tables', 'more_columns')
    union all select table_schema, table_name, table_type from public.more_tables;
  create view pg_catalog.svv_columns as
    select table_schema::text, table_name::text, column_name::text, ordinal_position::int, data_type::text,
      character_maximum_length::int, numeric_precision::int, numeric_scale::int, is_nullable::text
      from information_schema.columns
    union all select * from public.more_columns;
  grant select on pg_catalog.svv_tables, pg_catalog.svv_columns to public;
  set allow_system_table_mods = off`
