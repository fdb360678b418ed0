import { z } from 'zod'

/** A message to a role: its request, which the role parses, and its answer, which the caller parses. */
export type Message = { request: z.ZodType; answer: z.ZodType }

/**
 * The messages of a role, by name. The role's thread and all callers use the same table: the compiler rejects another
 * name, request or answer at either end.
 */
export type Messages = Readonly<Record<string, Message>>

export type NameOf<Table extends Messages> = keyof Table & string

/** A message's request as callers give it. */
export type RequestOf<Of extends Message> = z.input<Of['request']>

/** A message's answer as callers get it. */
export type AnswerOf<Of extends Message> = z.output<Of['answer']>

/** The arguments of a message behind its name: none where its request has no content. */
type Given<Of extends Message> = [RequestOf<Of>] extends [void] ? [] : [request: RequestOf<Of>]

/** The callers' side of a role's messages. */
export type Client<Table extends Messages> = {
  /** Asks by name. Rejects when the answer is not of the message's form, and when the role cannot answer. */
  ask<Name extends NameOf<Table>>(name: Name, ...given: Given<Table[Name]>): Promise<AnswerOf<Table[Name]>>
}

/** The role's side of its messages: an answer to each. */
export type Answers<Table extends Messages> = {
  readonly [Name in keyof Table]: (
    request: z.output<Table[Name]['request']>,
  ) => z.input<Table[Name]['answer']> | Promise<z.input<Table[Name]['answer']>>
}

/** Passes a request on by the name of its message, whatever they are; resolves to the answer as it came. */
export type Relay = (name: string, request: unknown) => Promise<unknown>

/** Creates a client that sends its requests through `relay`. */
export const createClient = <Table extends Messages>(messages: Table, relay: Relay): Client<Table> => ({
  async ask<Name extends NameOf<Table>>(name: Name, ...[request]: Given<Table[Name]>) {
    const answer = await relay(name, request)
    const { answer: form } = messages[name] as Table[Name]
    return form.parse(answer) as AnswerOf<Table[Name]>
  },
})

/** Answers what arrived as a message, by its name. Rejects for a name, or a request, that the role does not have. */
export const answerMessage = async <Table extends Messages>(
  role: { messages: Table; answers: Answers<Table> },
  name: string,
  request: unknown,
): Promise<unknown> => {
  const message = Object.hasOwn(role.messages, name) ? role.messages[name] : undefined
  // Silence would be read as an empty answer.
  if (message === undefined) throw new Error(`There is no answer to the question "${name}"`)
  // It takes what the message's own schema returns.
  const answer = role.answers[name as keyof Table] as (parsed: unknown) => unknown
  return await answer(message.request.parse(request))
}

/** Accepts a value without looking at it: the other side is trusted to send this type. */
export const trusted = <Value>() => z.custom<Value>()

/** A request or an answer without content. Content that is there is not used. */
export const nothing = trusted<void>()

const offset = z.number().int().min(0)

/**
 * Positions in a log, by partition. The incarnation is empty when the answering thread has none. A missing answer is
 * rejected: it must not look like one that needs nothing.
 */
export const positions = z.array(z.object({ partition: offset, offset, incarnation: z.string().default('') }))

/** Reads the role's cached configuration again, so that a change is in force when it is answered. */
export const refresh = { request: nothing, answer: nothing }

/**
 * Answers with the lowest offset of each partition of the stream that the role may still read. A partition that is not
 * named is needed from its start.
 */
export const needed = { request: nothing, answer: positions }

/** Reads the deletions of users again, and resolves when no event of a deleted user is handled any more. */
export const forget = { request: nothing, answer: nothing }
