import { deserialize, serialize } from 'node:v8'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { type Logger, randomToken, requireKnownFormat } from '@tributary/kernel'
import type { Coordination } from '@tributary/storage'
import type { RoleThread } from '../roles/role-thread.ts'
import type { GroupRole } from './owned-groups.ts'

const askTopic = 'groups.ask'
const answerTopic = 'groups.answer'
/** Characters of one message; what is longer goes in several. */
const pieceLength = 512 * 1024
/** Bytes of what is asked or answered at most. */
const mostBytes = 64 * 1024 * 1024
/** Pieces that have come without the others are forgotten after this, ms. */
const pieceMs = 60_000
/** How often it is looked whether there is anybody to answer, ms. */
const lookMs = 1000

/** Nobody has the group: there is nobody to ask. */
export class GroupUnowned extends Error {
  override readonly name = 'GroupUnowned'
}

/** Whoever has the group only begins: what it knows may be of before the question. */
export class GroupBeginning extends Error {
  override readonly name = 'GroupBeginning'
}

type Piece = { from: string; to: string; id: string; at: number; count: number; text: string }
type Asked = { role: GroupRole; group: number; question: string; about: unknown }
type Answered = { value?: unknown; error?: string; isBeginning?: true }

// As threads are asked: bytes stay bytes, and what is undefined stays so.
const toText = (value: unknown): string => deflateRawSync(serialize(value)).toString('base64')
const fromText = (text: string): unknown =>
  deserialize(inflateRawSync(Buffer.from(text, 'base64'), { maxOutputLength: mostBytes }))

/** What a message says. Its last piece stands for all of them. Throws for one of a newer version, which a later Node.js may have written, too. */
const readMessage = (piece: Piece, text: string): unknown => {
  requireKnownFormat('A question between processes', piece)
  return fromText(text)
}

const isPiece = (message: unknown): message is Piece =>
  typeof message === 'object' && message !== null && 'from' in message && 'id' in message && 'text' in message

/** Puts the pieces of messages together, by who sends them. */
const createPieces = () => {
  const begun = new Map<string, { at: number; texts: string[] }>()
  return (piece: Piece): string | undefined => {
    for (const [key, { at }] of begun) if (performance.now() - at > pieceMs) begun.delete(key)
    const key = `${piece.from} ${piece.id}`
    const texts = [...(begun.get(key)?.texts ?? []), piece.text]
    begun.delete(key)
    // Messages of a process come in their order: one that was missed leaves the rest useless.
    if (texts.length !== piece.at + 1) return undefined
    if (texts.length === piece.count) return texts.join('')
    begun.set(key, { at: performance.now(), texts })
    return undefined
  }
}

export type GroupQuestions = {
  /**
   * Asks whoever has a group, in this process or in another one. Rejects with GroupUnowned when nobody has it, or another one by now, with GroupBeginning when it is not running yet, and when there is no answer in time: whether the
   * question was heard is unknown then.
   */
  ask(role: GroupRole, group: number, question: string, about: unknown, waitMs: number): Promise<unknown>
  close(): void
}

/** Questions between the processes that share groups of partitions, over the coordination that they share. */
export const createGroupQuestions = (deps: {
  coordination: Pick<Coordination, 'publish' | 'subscribe'>
  thread(role: GroupRole, group: number): Pick<RoleThread, 'ask' | 'running'> | undefined
  /** The epoch of whoever has a group now; undefined while nobody has it. */
  epochOf(role: GroupRole, group: number): Promise<number | undefined>
  logger: Logger
}): GroupQuestions => {
  const { coordination, thread, epochOf, logger } = deps
  const self = randomToken(9)
  const waiting = new Map<string, (answer: Answered) => void>()
  const [asked, answered] = [createPieces(), createPieces()]

  const send = (topic: string, to: string, id: string, value: unknown): void => {
    const text = toText(value)
    const count = Math.max(1, Math.ceil(text.length / pieceLength))
    for (let at = 0; at < count; at++)
      coordination.publish(topic, {
        from: self,
        to,
        id,
        at,
        count,
        text: text.slice(at * pieceLength, (at + 1) * pieceLength),
      } satisfies Piece)
  }

  const answer = async (piece: Piece, text: string): Promise<void> => {
    const { from, id } = piece
    let read: Asked
    try {
      read = readMessage(piece, text) as Asked
    } catch (error) {
      // Whose group it is about, nobody can tell here: another process may answer.
      logger.warn({ err: error }, 'A question of another process cannot be read')
      return
    }
    const { role, group, question, about } = read
    const here = thread(role, group)
    // Another process has it, or nobody.
    if (here === undefined) return
    const found = here.running()
      ? here.ask(question, about).then(
          (value) => ({ value }),
          (error: unknown) => ({ error: error instanceof Error ? error.message : String(error) }),
        )
      : { isBeginning: true as const }
    send(answerTopic, from, id, await found)
  }

  const stops = [
    coordination.subscribe(askTopic, (message) => {
      if (!isPiece(message) || message.from === self) return
      const text = asked(message)
      if (text === undefined) return
      answer(message, text).catch((error: unknown) => logger.warn({ err: error }, 'A question cannot be answered'))
    }),
    coordination.subscribe(answerTopic, (message) => {
      if (!isPiece(message) || message.to !== self) return
      const text = answered(message)
      if (text === undefined) return
      let found: Answered
      try {
        found = readMessage(message, text) as Answered
      } catch (error) {
        found = { error: error instanceof Error ? error.message : String(error) }
      }
      waiting.get(message.id)?.(found)
    }),
  ]

  const askOthers = async (what: Asked, waitMs: number): Promise<unknown> => {
    const { role, group, question } = what
    const epoch = await epochOf(role, group)
    if (epoch === undefined) throw new GroupUnowned(`Nobody has the group ${group + 1} of the ${role} now`)
    const id = randomToken(9)
    const { promise, resolve, reject } = Promise.withResolvers<Answered>()
    waiting.set(id, resolve)
    const late = setTimeout(
      () => reject(new Error(`No answer to "${question}" of the owner of group ${group + 1} of the ${role}`)),
      waitMs,
    )
    // Who had it may be gone; and messages may be missed, which the next question is not.
    const look = setInterval(() => {
      epochOf(role, group).then(
        (now) => now === epoch || reject(new GroupUnowned(`The owner of group ${group + 1} of the ${role} is gone`)),
        () => {},
      )
    }, lookMs)
    try {
      send(askTopic, '', id, what)
      const { value, error, isBeginning } = await promise
      if (isBeginning) throw new GroupBeginning(`The owner of group ${group + 1} of the ${role} only begins`)
      if (error !== undefined) throw new Error(error)
      return value
    } finally {
      clearTimeout(late)
      clearInterval(look)
      waiting.delete(id)
    }
  }

  return {
    async ask(role, group, question, about, waitMs) {
      const here = thread(role, group)
      if (here?.running()) return await here.ask(question, about)
      if (here !== undefined) throw new GroupBeginning(`Group ${group + 1} of the ${role} only begins`)
      return await askOthers({ role, group, question, about }, waitMs)
    },
    close() {
      for (const stop of stops) stop()
    },
  }
}
