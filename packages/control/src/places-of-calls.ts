import { type CallPlaces, methodList } from '@tributary/contract'
import { AppError, createQueue, type Queue, type QueueOptions, rateLimited } from '@tributary/kernel'

const refuse: QueueOptions['refuse'] = (why, bound) => {
  if (why === 'gone') return new DOMException('The caller has gone', 'AbortError')
  const own = bound === 'user' || bound === 'organization' || bound === 'network'
  return own
    ? rateLimited('Too many calls of this kind are under way. Wait until some of them have ended', 2000)
    : new AppError(503, 'OVERLOADED', 'Too many calls of this kind at once. Try again in a moment', {
        retry_after: '2',
      })
}

const queueOf = (total: number, shares: QueueOptions['shares'], turns: QueueOptions['turns'] = 'organization'): Queue =>
  createQueue({
    total,
    shares,
    shrinking: ['network', 'user', 'organization'],
    turns,
    waiting: 1000,
    waitingShares: { network: 100, user: 100, organization: 150, work: 600 },
    maxWaitMs: 30_000,
    refuse,
  })

/**
 * Creates the queues for calls whose duration a caller can influence, by method. In each queue, one user, one
 * organization, and one kind of call have a limited share. Organizations take turns; for sign-ins, networks take turns.
 */
export const createPlacesOfCalls = (): ReadonlyMap<string, Queue> => {
  const queues: Readonly<Record<CallPlaces, Queue>> = {
    abroad: queueOf(64, { network: 16, user: 8, organization: 16, work: 48 }),
    payment: queueOf(32, { user: 4, organization: 4, work: 24 }),
    files: queueOf(16, { user: 2, organization: 4, work: 12 }),
    'sign-in': queueOf(64, { network: 24, user: 4, work: 48 }, 'network'),
  }
  return new Map(
    methodList.flatMap(({ name, places }) => (places === undefined ? [] : [[name, queues[places]] as const])),
  )
}
