import { AsyncLocalStorage } from 'node:async_hooks'
import { hash } from 'node:crypto'
import { readlinkSync } from 'node:fs'
import { getEnvironmentData, setEnvironmentData, threadId } from 'node:worker_threads'
import { AppError } from './errors.ts'
import { faultPoint } from './fault-points.ts'

/**
 * The current work of a thread. `item` names what could be held if it blocks the thread: a request, an event, a
 * template or a statement. It is always the same text for the same thing; '' when there is no such thing.
 */
export type WorkNote = { readonly step: string; readonly workspaceId: string; readonly item: string }

/** A thread as the watchdog sees it. */
export type BoardThread = {
  readonly slot: number
  readonly threadId: number
  /** Its ID for the operating system; 0 where that is not known. */
  readonly osThread: number
  readonly name: string
  /** Changes whenever the thread's event loop turns. */
  readonly beat: number
  /** False while it starts or closes. */
  readonly isWatched: boolean
  /** Whether it can be ended alone, without losing anything that it holds. */
  readonly isReplaceable: boolean
  /** Whether it is named in the log alone and never ended: who made it ends it. */
  readonly isOnlyNamed: boolean
  readonly work: WorkNote | undefined
}

/** The operations of a thread on its own place on the board. */
export type BoardPlace = {
  /** From now on the thread has to answer. */
  watch(): void
  /** From now on, such as while it closes, it has not. */
  pause(): void
  /** Says what the thread does for as long as it lives, where it does one thing alone. */
  keepWork(note: WorkNote): void
  leave(): void
}

const boardKey = 'tributary-thread-board'
const slots = 256
const slotBytes = 1024
const slotWords = slotBytes / 4
/** Words at the beginning of a slot. */
const word = {
  taken: 0,
  thread: 1,
  watched: 2,
  beat: 3,
  nameBytes: 4,
  workBytes: 5,
  replaceable: 6,
  osThread: 7,
} as const
/** In place of 0 or 1 of `replaceable`. */
const onlyNamed = 2
const nameAt = 32
const maxName = 96
const workAt = nameAt + maxName
const maxWork = slotBytes - workAt
/** How often a thread says that it lives, ms. */
export const beatMs = 250

type Own = { words: Int32Array; text: Buffer }

const ownOf = (board: SharedArrayBuffer, slot: number): Own => ({
  words: new Int32Array(board, slot * slotBytes, slotWords),
  text: Buffer.from(board, slot * slotBytes, slotBytes),
})

/** The place of this thread; undefined while it is not watched. */
let own: Own | undefined
let isClearing = false

/**
 * Makes the board of this process, on which each thread made from now on may take a place. Does nothing where there is one already.
 */
export const createThreadBoard = (): SharedArrayBuffer => {
  const known = getEnvironmentData(boardKey)
  if (known instanceof SharedArrayBuffer) return known
  const board = new SharedArrayBuffer(slots * slotBytes)
  setEnvironmentData(boardKey, board)
  return board
}

/** Frees the place of a thread that has ended. */
export const freeBoardPlace = (board: SharedArrayBuffer, thread: number): void => {
  for (let slot = 0; slot < slots; slot++) {
    const { words } = ownOf(board, slot)
    if (words[word.taken] === 1 && words[word.thread] === thread) Atomics.store(words, word.taken, 0)
  }
}

/**
 * Removes a thread from the board of this process, for code that has ended a thread and does not watch it. Does nothing
 * without a board.
 */
export const forgetBoardThread = (thread: number): void => {
  const board = getEnvironmentData(boardKey)
  if (board instanceof SharedArrayBuffer) freeBoardPlace(board, thread)
}

/** Linux gives each thread an ID, which its files in /proc have as their name. */
const osThreadOf = (): number => {
  try {
    return Number(readlinkSync('/proc/thread-self').split('/').at(-1))
  } catch {
    return 0
  }
}

const noPlace: BoardPlace = { watch() {}, pause() {}, keepWork() {}, leave() {} }

const writeWork = ({ words, text }: Own, { step, workspaceId, item }: WorkNote): void => {
  words[word.workBytes] = 0
  words[word.workBytes] = text.write(`${step}\n${workspaceId}\n${item}`, workAt, maxWork, 'latin1')
}

/** Takes a place for the calling thread, which is not watched yet, and says regularly that it lives. Without a board it does nothing. */
export const joinThreadBoard = (name: string, { isReplaceable = false, isOnlyNamed = false } = {}): BoardPlace => {
  const board = getEnvironmentData(boardKey)
  if (!(board instanceof SharedArrayBuffer)) return noPlace
  for (let slot = 0; slot < slots; slot++) {
    const place = ownOf(board, slot)
    const { words, text } = place
    if (Atomics.compareExchange(words, word.taken, 0, 2) !== 0) continue
    words[word.thread] = threadId
    words[word.osThread] = osThreadOf()
    words[word.watched] = 0
    words[word.nameBytes] = text.write(name, nameAt, maxName, 'latin1')
    words[word.workBytes] = 0
    words[word.replaceable] = isOnlyNamed ? onlyNamed : isReplaceable ? 1 : 0
    Atomics.store(words, word.taken, 1)
    own = place
    const timer = setInterval(() => Atomics.add(words, word.beat, 1), beatMs)
    timer.unref()
    return {
      watch: () => void Atomics.store(words, word.watched, 1),
      pause: () => void Atomics.store(words, word.watched, 0),
      keepWork: (note) => writeWork(place, note),
      leave() {
        clearInterval(timer)
        if (own === place) own = undefined
        Atomics.store(words, word.taken, 0)
      },
    }
  }
  return noPlace
}

const clearWork = (): void => {
  isClearing = false
  if (own !== undefined) Atomics.store(own.words, word.workBytes, 0)
}

/** Items that are skipped, with the reason. */
let held: ReadonlyMap<string, string> = new Map()

/** Has this thread leave these items alone from now on; each has its reason. */
export const setHeldWork = (items: ReadonlyMap<string, string>): void => {
  held = items
}

/** Thrown in place of work on something that is held: a refusal, with the reason. */
export class WorkHeld extends AppError {
  constructor(reason: string) {
    super(422, 'HELD', reason)
  }
}

/**
 * Says what this thread does from now on, until it says something else or the event loop turns. Costs a copy of the texts, and nothing
 * where no one watches.
 *
 * @throws WorkHeld when the item is held
 */
export const noteWork = (step: string, workspaceId: string, item: string): void => {
  const reason = held.size === 0 ? undefined : held.get(item)
  if (reason !== undefined) throw new WorkHeld(reason)
  if (own === undefined) return
  writeWork(own, { step, workspaceId, item })
  if (!isClearing) {
    isClearing = true
    setImmediate(clearWork)
  }
  faultPoint('work', step, workspaceId, item)
}

/** Whether something is held, by the text that names it. */
export const isHeldWork = (item: string): boolean => held.has(item)

/** Whether anything is held: nearly never, so that nothing need be named then. */
export const isAnyWorkHeld = (): boolean => held.size > 0

/** Longest text that names an item, as it is. */
const maxItem = 200

/** The name of an item whose text may be of any length: itself, or its beginning and a hash of it. */
export const itemOf = (text: string): string =>
  text.length <= maxItem ? text : `${text.slice(0, maxItem - 41)}#${hash('sha1', text, 'hex')}`

const calls = new AsyncLocalStorage<{ note: WorkNote; signal: AbortSignal | undefined }>()

/**
 * Runs a call or job whose work goes on after it waited: `resumeWork` notes it again then. The signal aborts when no
 * caller waits for it any more.
 *
 * @throws WorkHeld when its item is held
 */
export const inWork = <T>(note: WorkNote, task: () => T, signal?: AbortSignal): T => {
  noteWork(note.step, note.workspaceId, note.item)
  return calls.run({ note, signal }, task)
}

/** The signal of the call or job to which the caller belongs. */
export const signalOfWork = (): AbortSignal | undefined => calls.getStore()?.signal

/** The call or job to which the caller belongs, for a thread that works for it. */
export const workOfCall = (): WorkNote | undefined => calls.getStore()?.note

/** Notes the call or job that the caller belongs to again; called after a wait for an engine. */
export const resumeWork = (): void => {
  if (own === undefined) return
  const note = calls.getStore()?.note
  // Work that has begun may have become held: it is not aborted.
  if (note !== undefined && !held.has(note.item)) noteWork(note.step, note.workspaceId, note.item)
}

/** Binds work that is done later, in a turn of others, to the call or job to which the caller belongs. */
export const boundToWork = <T>(work: () => T): (() => T) => {
  const call = calls.getStore()
  return call === undefined ? work : () => calls.run(call, () => (resumeWork(), work()))
}

const workOf = ({ words, text }: Own): WorkNote | undefined => {
  const bytes = words[word.workBytes] ?? 0
  if (bytes === 0) return undefined
  const [step = '', workspaceId = '', ...item] = text.toString('latin1', workAt, workAt + bytes).split('\n')
  return { step, workspaceId, item: item.join('\n') }
}

/** The threads that have a place now. What one does is exact only while it does not turn. */
export const readThreadBoard = (board: SharedArrayBuffer): BoardThread[] => {
  const threads: BoardThread[] = []
  for (let slot = 0; slot < slots; slot++) {
    const place = ownOf(board, slot)
    const { words, text } = place
    if (Atomics.load(words, word.taken) !== 1) continue
    threads.push({
      slot,
      threadId: words[word.thread] ?? 0,
      osThread: words[word.osThread] ?? 0,
      name: text.toString('latin1', nameAt, nameAt + (words[word.nameBytes] ?? 0)),
      beat: Atomics.load(words, word.beat),
      isWatched: Atomics.load(words, word.watched) === 1,
      isReplaceable: words[word.replaceable] === 1,
      isOnlyNamed: words[word.replaceable] === onlyNamed,
      work: workOf(place),
    })
  }
  return threads
}
