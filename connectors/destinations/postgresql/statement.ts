import { createHash } from 'node:crypto'
import type { OutgoingEvent, SettingObjection } from '@tributary/connector-kit'
import { withoutEnd } from '@tributary/connector-kit'
import type { Client } from 'pg'
import { faultOf, stateOf, wordsOf } from '../../wire/postgresql/failures.ts'
import type { WrittenEvent } from '../../wire/warehouse/event-rows.ts'
import { safeJson, safeText } from './values.ts'

type Parameter =
  | { type: 'text' | 'timestamptz'; of: (event: WrittenEvent) => string | undefined }
  | { type: 'jsonb'; of: (event: WrittenEvent, source: OutgoingEvent) => unknown }

/** The parameters of a statement, by the name after the colon. */
export const parameters: Readonly<Record<string, Parameter>> = {
  event_id: { type: 'text', of: (event) => event.eventId },
  message_id: { type: 'text', of: (event) => event.messageId },
  type: { type: 'text', of: (event) => event.type },
  event: { type: 'text', of: (event) => event.event },
  user_id: { type: 'text', of: (event) => event.userId },
  anonymous_id: { type: 'text', of: (event) => event.anonymousId },
  group_id: { type: 'text', of: (event) => event.groupId },
  previous_id: { type: 'text', of: (event) => event.previousId },
  timestamp: { type: 'timestamptz', of: (event) => event.timestamp },
  received_at: { type: 'timestamptz', of: (event) => event.receivedAt },
  properties: { type: 'jsonb', of: (event) => event.properties ?? {} },
  traits: { type: 'jsonb', of: (event) => event.traits ?? {} },
  context: { type: 'jsonb', of: (event) => event.context ?? {} },
  payload: { type: 'jsonb', of: (event, source) => source.payload ?? event },
}

/** A statement with numbered parameters instead of named ones. */
export type CompiledStatement = { text: string; names: readonly string[] }

/**
 * A pattern for the parts of a statement in which a colon is not a parameter: quoted texts (also with escapes),
 * identifiers, dollar-quoted texts, comments, casts. The last alternative is a parameter.
 */
const tokens =
  /[eE]'(?:[^'\\]|\\[^]|'')*(?:'|\\?$)|'(?:[^']|'')*(?:'|$)|"(?:[^"]|"")*(?:"|$)|\$\w*\$|--[^\n]*|\/\*[^]*?(?:\*\/|$)|::|:=|\w:\w|:([a-z_][a-z0-9_]*)/g

/** Returns the last position of each tag of a dollar-quoted text. */
const lastTags = (statement: string): Map<string, number> =>
  new Map([...statement.matchAll(/(?=(\$\w*\$))/g)].map(({ 1: tag = '', index }) => [tag, index]))

/**
 * Replaces `:user_id` and the other parameters by `$1`, `$2` … with their types. Values are bound, never written into
 * the text. Returns undefined if the statement has an unknown parameter.
 */
export const compileStatement = (statement: string): CompiledStatement | undefined => {
  const names: string[] = []
  let unknown = false
  const closings = lastTags(statement)
  tokens.lastIndex = 0
  let text = ''
  let from = 0
  for (let found = tokens.exec(statement); found !== null; found = tokens.exec(statement)) {
    const { 0: whole, 1: name, index } = found
    if (whole.startsWith('$')) {
      const isClosed = (closings.get(whole) ?? -1) >= tokens.lastIndex
      // A dollar sign without its end can be part of a name.
      tokens.lastIndex = isClosed ? statement.indexOf(whole, tokens.lastIndex) + whole.length : index + 1
    }
    if (name === undefined) continue
    const parameter = Object.hasOwn(parameters, name) ? parameters[name] : undefined
    unknown ||= parameter === undefined
    if (!names.includes(name)) names.push(name)
    text += `${statement.slice(from, index)}$${names.indexOf(name) + 1}::${parameter?.type}`
    from = tokens.lastIndex
  }
  text += statement.slice(from)
  return unknown ? undefined : { text: withoutEnd(text.trim(), ';'), names }
}

const valueOf = (name: string, event: WrittenEvent, source: OutgoingEvent): string | null => {
  const parameter = parameters[name]
  if (parameter?.type === 'jsonb') return safeJson(parameter.of(event, source))
  const value = parameter?.of(event)
  return value === undefined ? null : safeText(value)
}

/** Runs a statement for an event. */
export const runStatement = async (
  client: Client,
  { text, names }: CompiledStatement,
  event: WrittenEvent,
  source: OutgoingEvent,
): Promise<void> => {
  // A named statement is planned once, and the protocol refuses a second statement after it.
  const name = `tributary_${createHash('sha256').update(text).digest('hex').slice(0, 16)}`
  await client.query({ name, text, values: names.map((each) => valueOf(each, event, source)) })
}

/** The message for a statement that the database does not understand. */
const invalid = 'Please verify that the SQL Query is valid.'

/**
 * Makes the server parse and plan a statement without running it: PREPARE accepts a single SELECT, INSERT, UPDATE,
 * DELETE, MERGE or VALUES. Returns the error of the statement, or undefined. Rejects if the server does not respond.
 */
export const verifyStatement = async (client: Client, statement: string): Promise<SettingObjection | undefined> => {
  const compiled = compileStatement(statement)
  if (compiled === undefined)
    return {
      message: invalid,
      detail: `Parameters are ${Object.keys(parameters)
        .map((name) => `:${name}`)
        .join(', ')}`,
    }
  try {
    // Uses the extended protocol, which refuses a second statement after the first.
    await client.query({ name: 'tributary_verify', text: `prepare tributary_check as ${compiled.text}`, values: [] })
    await client.query('deallocate tributary_check')
    return undefined
  } catch (error) {
    const state = stateOf(error)
    if (state === '' || faultOf(state) === 'retry') throw error
    return { message: invalid, detail: wordsOf(error) }
  }
}
