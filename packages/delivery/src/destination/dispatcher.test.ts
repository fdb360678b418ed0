import { setImmediate as nextTurn } from 'node:timers/promises'
import { ConfigurationError, type DeliverResult } from '@tributary/connector-kit'
import { setHeldWork, silentLogger } from '@tributary/kernel'
import { expect, it, onTestFinished } from 'vitest'
import type { Item } from '../parking/in-flight-record.ts'
import type { Ready } from './readiness.ts'
import { batchesItem, createDispatcher, type Dispatched, deliveryItem } from './sending.ts'
import type { WorkerContext } from './worker-context.ts'

const batchOf = (count: number): readonly Item[] =>
  Array.from({ length: count }, () => ({ event: { eventId: 'e' } }) as unknown as Item)

/** A dispatcher with a connector whose responses the test sets. */
const start = () => {
  let now = 0
  const abort = new AbortController()
  const answers: ((answer: DeliverResult | Error) => void)[] = []
  const heard: Dispatched[] = []
  const context = {
    clock: () => now,
    logger: silentLogger,
    signal: abort.signal,
    requestClient: { request: undefined, connect: undefined },
    accessTokens: undefined,
    destinationCache: { get: () => undefined },
  } as unknown as WorkerContext
  const dispatcher = createDispatcher('d-1', context, (_batch, dispatched) => void heard.push(dispatched))
  const deliver = (): Promise<DeliverResult> =>
    new Promise((resolve, reject) =>
      answers.push((answer) => (answer instanceof Error ? reject(answer) : resolve(answer))),
    )
  const ready = { definition: { deliver }, settings: {}, client: undefined } as unknown as Ready
  return {
    dispatcher,
    heard,
    abort,
    send: (events = 2): void => dispatcher.send(ready, batchOf(events)),
    async answer(outcomes: DeliverResult['outcomes'] | Error): Promise<void> {
      answers.shift()?.(outcomes instanceof Error ? outcomes : { outcomes, httpStatus: 200, latencyMs: 1 })
      await nextTurn()
    },
    pass: (ms: number): void => {
      now += ms
    },
  }
}

it('the dispatcher reports responses, and marks failures because of the settings', async () => {
  const { dispatcher, heard, send, answer } = start()
  send()
  send()
  expect([dispatcher.inFlight(), dispatcher.items()]).toEqual([2, expect.objectContaining({ length: 4 })])
  await answer({ kind: 'delivered' })
  await answer(new ConfigurationError('The address is wrong'))
  expect(heard).toMatchObject([
    { kind: 'answered', misconfigured: false, result: { outcomes: { kind: 'delivered' } } },
    { kind: 'answered', misconfigured: true, result: { outcomes: { kind: 'retry', reason: 'The address is wrong' } } },
  ])
  expect(dispatcher.inFlight()).toBe(0)
})

it('a batch of several events that is rejected as a whole is split; a single event is not', async () => {
  const { heard, send, answer } = start()
  send(2)
  await answer({ kind: 'split', reason: 'HTTP 413' })
  send(1)
  await answer({ kind: 'split', reason: 'HTTP 413' })
  expect(heard.map(({ kind }) => kind)).toEqual(['split', 'answered'])
})

it('the dispatcher reports deliveries that succeeded, but not requests that its own shutdown ended', async () => {
  const { heard, send, answer, abort } = start()
  send()
  send()
  abort.abort()
  await answer({ kind: 'retry', reason: 'aborted' })
  await answer({ kind: 'delivered' })
  expect(heard).toMatchObject([{ kind: 'answered', result: { outcomes: { kind: 'delivered' } } }])
})

it('the dispatcher hangs if requests are open and none has ended for the given time', async () => {
  const { dispatcher, send, answer, pass } = start()
  expect(dispatcher.hangs(100)).toBe(false)
  send()
  send()
  pass(99)
  await answer({ kind: 'delivered' })
  pass(99)
  expect(dispatcher.hangs(100)).toBe(false)
  pass(1)
  expect(dispatcher.hangs(100)).toBe(true)
  dispatcher.forgive()
  expect(dispatcher.hangs(100)).toBe(false)
})

it('batches that blocked the thread are split until the event that blocks it is alone, which is rejected with the reason', async () => {
  onTestFinished(() => setHeldWork(new Map()))
  const { heard, send, dispatcher } = start()
  setHeldWork(new Map([[batchesItem('d-1'), 'Its batches blocked the thread']]))
  send(2)
  await nextTurn()
  expect(heard).toEqual([{ kind: 'split' }])
  send(1)
  await nextTurn()
  expect(dispatcher.inFlight()).toBe(1)
  setHeldWork(new Map([[deliveryItem('d-1', 'e'), 'It blocked the thread']]))
  send(1)
  await nextTurn()
  expect(heard[1]).toMatchObject({
    kind: 'answered',
    result: { outcomes: { kind: 'rejected', reason: 'It blocked the thread' } },
  })
})
