import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** The words of PostgreSQL that Redshift lacks, in statements of ours. */
const unknownWords =
  /\bno scroll\b|\bwith hold\b|\bfilter \(where|\bwith ordinality\b|\brows from\b|\bon conflict\b|\breturning\b|\bset_config\(|\bjson_populate_recordset\b|\bjsonb\b|\badd column if not exists\b|, add column\b/i

/** Parameters of a session that only Redshift has. */
const ownParameters =
  /\bset (enable_case_sensitive_identifier|describe_field_name_in_uppercase|json_serialization_enable) /gi

/** Returns a statement that fails with this message, inside and outside of a transaction. */
const refusal = (message: string, state = '42601'): string =>
  `do $refused$ begin raise exception using message = '${message.replaceAll("'", "''")}', errcode = '${state}'; end $refused$`

/** Returns where the parenthesis that opens at a position closes, and the last `as` between them. */
const closing = (text: string, open: number): { end: number; as: number } => {
  let depth = 0
  let as = -1
  for (let at = open; at < text.length; at++) {
    const character = text[at]
    if (character === "'" || character === '"') at = text.indexOf(character, at + 1)
    else if (character === '(') depth++
    else if (character === ')' && --depth === 0) return { end: at, as }
    else if (depth === 1 && text.startsWith(' as ', at)) as = at
  }
  throw new Error(`No closing parenthesis: ${text}`)
}

/** Returns a statement with a function of PostgreSQL for each TRY_CAST. */
const withoutTryCast = (text: string): string => {
  const start = text.indexOf('try_cast(')
  if (start === -1) return text
  const open = start + 'try_cast'.length
  const { end, as } = closing(text, open)
  const [value, type] = [text.slice(open + 1, as), text.slice(as + 4, end)]
  return withoutTryCast(`${text.slice(0, start)}(public.try_text(${value}, '${type}'))::${type}${text.slice(end + 1)}`)
}

/** Returns a statement about SUPER values as one about `jsonb`. */
const withJsonb = (statement: string): string =>
  withoutTryCast(
    statement
      .replace(
        /(row_values|"extra_properties"|\bmore)\."((?:[^"]|"")+)"(::varchar\(65535\))?/g,
        (_, column: string, name: string, cast: string | undefined) => {
          const member = `'${name.replaceAll('""', '"').replaceAll("'", "''")}'`
          return cast === undefined ? `(${column} -> ${member})` : `(${column} ->> ${member})${cast}`
        },
      )
      .replace(/unpivot moved\.members as val at attr/g, 'jsonb_each(moved.members) as unpivoted (attr, val)')
      .replace(/\blistagg\(/g, 'string_agg(')
      // A word of newer versions of PostgreSQL.
      .replace(/\bjson_serialize\(/g, 'public.json_serialize(')
      .replace(/ sortkey \([\w"]{1,100}\)$/, ''),
  )

/** Returns the statement that PostgreSQL runs in place of one for Redshift. */
const translated = (statement: string): string => {
  const [words] = unknownWords.exec(statement) ?? []
  if (words !== undefined) return refusal(`syntax error at or near "${words}"`)
  const [, rows] = /^\s*fetch forward (\d+) /i.exec(statement) ?? []
  // A message of a cluster with one node.
  if (Number(rows) > 1000)
    return refusal(`Fetch size ${rows} exceeds the limit of 1000 for a single node configuration.`)
  return withJsonb(statement)
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

/** A connection: whether it is signed in, and whether its answers are lost. */
type State = { started: boolean; isMuted: boolean }

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

type Faults = {
  /** Sees each statement first, and can return another one. */
  before?: (statement: string) => string | Promise<string>
  /** Returns whether the connection ends before a statement, or after it, without its answer. */
  faultOf?: (statement: string) => 'before' | 'after' | undefined
}

/** Starts the stand-in. */
export const startRedshiftProxy = async (
  serverPort: number,
  { before = (statement) => statement, faultOf = () => undefined }: Faults = {},
): Promise<RedshiftProxy> => {
  const statements: string[] = []
  const open = new Set<Socket>()
  let cancels = 0

  /** Handles what a client sent; returns what is left of it. */
  const handled = async (data: Buffer, state: State, server: Socket): Promise<Buffer> => {
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
        const fault = faultOf(statement)
        if (fault === 'before') throw new Error('The connection ends')
        state.isMuted ||= fault === 'after'
        const changed = await before(statement)
        server.write(translatedMessage(message, () => translated(changed)))
      }
    }
  }

  const server = createServer((client) => {
    const peer = connect(serverPort, '127.0.0.1')
    const state: State = { started: false, isMuted: false }
    let work: Promise<Buffer> = Promise.resolve(Buffer.alloc(0))
    open.add(client)
    client.on('data', (chunk: Buffer) => {
      work = work.then((rest) => handled(Buffer.concat([rest, chunk]), state, peer))
      work.catch(() => client.destroy())
    })
    peer.on('data', (chunk: Buffer) => {
      if (!state.isMuted) client.write(chunk)
      // A statement has ended when the server is ready for another one.
      else if (chunk.subarray(-6, -1).equals(Buffer.from([0x5a, 0, 0, 0, 5]))) client.destroy()
    })
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

/** Statements for an administrator of PostgreSQL that create the catalogs and functions of Redshift. */
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
  create domain public.super as jsonb;
  create function public.try_text(value text, type text) returns text language plpgsql as $$
    begin execute format('select %L::%s', value, type); return value; exception when others then return null; end $$;
  create function public.json_parse(value text) returns public.super language sql as 'select value::jsonb';
  create function public.json_parse(value bytea) returns public.super language sql as
    $$select convert_from(value, 'utf8')::jsonb$$;
  create function public.can_json_parse(value text) returns boolean language sql as
    $$select case when value is null then null else public.try_text(value, 'jsonb') is not null end$$;
  create function public.json_serialize(value jsonb) returns text language sql as 'select value::text';
  create function public.json_size(value jsonb) returns int language sql as 'select octet_length(value::text)';
  create function public.json_typeof(value jsonb) returns text language sql as 'select jsonb_typeof(value)';
  create function public.to_varbyte(value text, form text) returns bytea language sql as
    'select convert_to(value, form)';
  create function public.object(name text, value text) returns public.super language sql as
    'select jsonb_build_object(name, value)';
  create function public.object(name text, value jsonb) returns public.super language sql as
    'select jsonb_build_object(name, value)';
  create function public.object(name text, value text, other text, more jsonb) returns public.super language sql as
    'select jsonb_build_object(name, value, other, more)';
  set allow_system_table_mods = off`
