import { z } from 'zod'

/**
 * The schemas of a message to a role: its request, which the role parses, and its response, which the caller parses.
 */
export type Message = { request: z.ZodType; answer: z.ZodType }

/**
 * The messages of a role, by name. The role's thread and all callers use the same table, so the compiler rejects a
 * wrong name, request or response on either side.
 */
export type Messages = Readonly<Record<string, Message>>

export type NameOf<Table extends Messages> = keyof Table & string

/** A message's request as passed by callers. */
export type RequestOf<Of extends Message> = z.input<Of['request']>

/** A message's response as returned to callers. */
export type AnswerOf<Of extends Message> = z.output<Of['answer']>

/** The arguments of a message after its name: none if its request has no content. */
type Given<Of extends Message> = [RequestOf<Of>] extends [void] ? [] : [request: RequestOf<Of>]

/** The callers' side of a role's messages. */
export type Client<Table extends Messages> = {
  /**
   * Sends a message by name. Rejects if the response does not match the message's schema, and if the role cannot
   * respond.
   */
  ask<Name extends NameOf<Table>>(name: Name, ...given: Given<Table[Name]>): Promise<AnswerOf<Table[Name]>>
}

/** The role's side of its messages: a handler for each. */
export type Answers<Table extends Messages> = {
  readonly [Name in keyof Table]: (
    request: z.output<Table[Name]['request']>,
  ) => z.input<Table[Name]['answer']> | Promise<z.input<Table[Name]['answer']>>
}

/** Forwards a request by the name of its message; resolves to the unvalidated response. */
export type Relay = (name: string, request: unknown) => Promise<unknown>

/** Creates a client that sends its requests through `relay`. */
export const createClient = <Table extends Messages>(messages: Table, relay: Relay): Client<Table> => ({
  async ask<Name extends NameOf<Table>>(name: Name, ...[request]: Given<Table[Name]>) {
    const answer = await relay(name, request)
    const { answer: form } = messages[name] as Table[Name]
    return form.parse(answer) as AnswerOf<Table[Name]>
  },
})

/** Handles an incoming message by its name. Rejects for a name or a request that the role does not have. */
export const answerMessage = async <Table extends Messages>(
  role: { messages: Table; answers: Answers<Table> },
  name: string,
  request: unknown,
): Promise<unknown> => {
  const message = Object.hasOwn(role.messages, name) ? role.messages[name] : undefined
  // If this function returned undefined instead, the caller would see a response without content.
  if (message === undefined) throw new Error(`There is no answer to the question "${name}"`)
  // The handler accepts what the message's own schema returns.
  const answer = role.answers[name as keyof Table] as (parsed: unknown) => unknown
  return await answer(message.request.parse(request))
}

/** Accepts a value without validation: the other side is trusted to send this type. */
export const trusted = <Value>() => z.custom<Value>()

/** A request or a response without content. Any content is ignored. */
export const nothing = trusted<void>()

const offset = z.number().int().min(0)

/**
 * Positions in a log, by partition. The incarnation is empty if the responding thread does not have it. A missing
 * response is rejected: it must not look like a response that needs no records.
 */
export const positions = z.array(z.object({ partition: offset, offset, incarnation: z.string().default('') }))

/** Reads the role's configuration cache again, so that a change is in use when the response arrives. */
export const refresh = { request: nothing, answer: nothing }

/**
 * Returns the lowest offset of each partition of the stream that the role may still read. A partition that is not named
 * is needed from its start.
 */
export const needed = { request: nothing, answer: positions }

/** Reads the deletions of users again. Resolves when no event of a deleted user is processed any more. */
export const forget = { request: nothing, answer: nothing }
