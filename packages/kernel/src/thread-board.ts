import { AsyncLocalStorage } from 'node:async_hooks'
import { hash } from 'node:crypto'
import { readlinkSync } from 'node:fs'
import { getEnvironmentData, setEnvironmentData, threadId } from 'node:worker_threads'
import { AppError } from './errors.ts'
import { faultPoint } from './fault-points.ts'

/**
 * The current work of a thread. `item` names the part that could be held if it blocks the thread: a request, an event,
 * a template or a statement. The same part always has the same name; '' if there is no such part.
 */
export type WorkNote = { readonly step: string; readonly workspaceId: string; readonly item: string }

/** A thread in the form that the watchdog sees. */
export type BoardThread = {
  readonly slot: number
  readonly threadId: number
  /** ID of the thread in the operating system; 0 if unknown. */
  readonly osThread: number
  readonly name: string
  /** Increases on each heartbeat of the thread's event loop. */
  readonly beat: number
  /** False while the thread starts or closes. */
  readonly isWatched: boolean
  /** Whether the thread can be terminated alone, without losing any data that it holds. */
  readonly isReplaceable: boolean
  /** Whether the watchdog only logs this thread and never terminates it, because the thread's creator does so. */
  readonly isOnlyNamed: boolean
  readonly work: WorkNote | undefined
}

/** The operations of a thread on its own slot on the board. */
export type BoardPlace = {
  /** Starts the watch: from now on, the watchdog expects heartbeats of the thread. */
  watch(): void
  /** Stops the watch, such as while the thread closes. */
  pause(): void
  /** Sets permanent work, for a thread that does only one thing. */
  keepWork(note: WorkNote): void
  leave(): void
}

const boardKey = 'tributary-thread-board'
const slots = 256
const slotBytes = 1024
const slotWords = slotBytes / 4
/** Indexes of the words at the beginning of a slot. */
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
/** The value of the word `replaceable` for a thread that the watchdog only logs. Other threads have 0 or 1. */
const onlyNamed = 2
const nameAt = 32
const maxName = 96
const workAt = nameAt + maxName
const maxWork = slotBytes - workAt
/** The heartbeat interval of a thread, in ms. */
export const beatMs = 250

type Own = { words: Int32Array; text: Buffer }

const ownOf = (board: SharedArrayBuffer, slot: number): Own => ({
  words: new Int32Array(board, slot * slotBytes, slotWords),
  text: Buffer.from(board, slot * slotBytes, slotBytes),
})

/** The slot of this thread; undefined if it has none. */
let own: Own | undefined
let isClearing = false

/**
 * Creates the board of this process. Each thread that is created afterwards can take a slot. Returns the existing board
 * if there is one.
 */
export const createThreadBoard = (): SharedArrayBuffer => {
  const known = getEnvironmentData(boardKey)
  if (known instanceof SharedArrayBuffer) return known
  const board = new SharedArrayBuffer(slots * slotBytes)
  setEnvironmentData(boardKey, board)
  return board
}

/** Frees the slot of a thread that has ended. */
export const freeBoardPlace = (board: SharedArrayBuffer, thread: number): void => {
  for (let slot = 0; slot < slots; slot++) {
    const { words } = ownOf(board, slot)
    if (words[word.taken] === 1 && words[word.thread] === thread) Atomics.store(words, word.taken, 0)
  }
}

/**
 * Removes a thread from the board of this process, for code that has terminated a thread without a watchdog. Does
 * nothing without a board.
 */
export const forgetBoardThread = (thread: number): void => {
  const board = getEnvironmentData(boardKey)
  if (board instanceof SharedArrayBuffer) freeBoardPlace(board, thread)
}

/** Returns the ID that Linux has given this thread, which is the name of its folder in /proc. */
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

/**
 * Takes a slot for the calling thread, which is not watched yet, and starts its heartbeat. Does nothing without a
 * board.
 */
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

/** Sets the items that this thread must skip from now on, each with its reason. */
export const setHeldWork = (items: ReadonlyMap<string, string>): void => {
  held = items
}

/** Thrown instead of doing work on a held item; its message is the reason. */
export class WorkHeld extends AppError {
  constructor(reason: string) {
    super(422, 'HELD', reason)
  }
}

/**
 * Notes the work that this thread does from now on, until it notes other work or the event loop turns. Copies the
 * texts; costs nothing if the thread has no slot.
 *
 * @throws WorkHeld if the item is held
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

/** Whether the item with this name is held. */
export const isHeldWork = (item: string): boolean => held.has(item)

/** Whether any item is held. The result is almost always false, and callers then need not compute item names. */
export const isAnyWorkHeld = (): boolean => held.size > 0

/** Maximum characters of an item name that is used unchanged. */
const maxItem = 200

/** Returns the name of an item whose text may be long: the text itself, or its beginning and a hash. */
export const itemOf = (text: string): string =>
  text.length <= maxItem ? text : `${text.slice(0, maxItem - 41)}#${hash('sha1', text, 'hex')}`

const calls = new AsyncLocalStorage<{ note: WorkNote; signal: AbortSignal | undefined }>()

/**
 * Runs a call or job that continues after waiting: `resumeWork` then notes its work again. The signal aborts when no
 * caller waits for the result any longer.
 *
 * @throws WorkHeld if its item is held
 */
export const inWork = <T>(note: WorkNote, task: () => T, signal?: AbortSignal): T => {
  noteWork(note.step, note.workspaceId, note.item)
  return calls.run({ note, signal }, task)
}

/** Returns the signal of the current call or job. */
export const signalOfWork = (): AbortSignal | undefined => calls.getStore()?.signal

/** Returns the work note of the current call or job, to pass to another thread that works for it. */
export const workOfCall = (): WorkNote | undefined => calls.getStore()?.note

/** Notes the current call or job again; called after a wait for an engine. */
export const resumeWork = (): void => {
  if (own === undefined) return
  const note = calls.getStore()?.note
  // The item may have become held since the work began; running work is not aborted.
  if (note !== undefined && !held.has(note.item)) noteWork(note.step, note.workspaceId, note.item)
}

/** Binds work that runs later, in another context, to the current call or job. */
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

/** Returns all threads on the board. The work of a thread is exact only while its event loop does not turn. */
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
