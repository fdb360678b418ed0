import { AppError, createQueue, type Queue, type QueueOptions, rateLimited } from '@tributary/kernel'

/** Calls that wait for a server of another company, which may be slow or never answer. */
const callsAbroad = [
  'alertChannels.test',
  'customDomains.create',
  'customDomains.verify',
  'dataSources.checkKey',
  'dataSources.getTable',
  'dataSources.listTables',
  'dataSources.preview',
  'dataSources.testConnection',
  'dataSources.validate',
  'destinations.completeConnect',
  'destinations.create',
  'destinations.getObject',
  'destinations.testConnection',
  'destinations.updateSetting',
  'mappings.sendTest',
  'models.create',
  'models.update',
  'syncTestRows.preview',
  'syncTestRows.send',
  'users.oauthLoginCallback',
  'users.oauthRedirects',
  'users.oauthSignupCallback',
] as const

/** Calls that wait for the payment provider. */
const callsToPayment = [
  'billingCompanies.update',
  'invoices.list',
  'invoices.pay',
  'paymentMethods.delete',
  'paymentMethods.list',
  'paymentMethods.setDefault',
  'paymentMethods.setup',
  'subscriptions.cancel',
  'subscriptions.preview',
  'subscriptions.resume',
  'subscriptions.update',
] as const

/** Calls that bring a file: what they do with it takes memory, the disk and the processor. */
const uploads = ['organizations.uploadLogo', 'uploads.create', 'users.uploadPhoto'] as const

/** Calls that hash a password or send a mail, for any caller: of a network or, where there is a session, of a user. */
const signIns = [
  'users.completeOnboarding',
  'users.login',
  'users.loginOtp',
  'users.sendOtp',
  'users.setPassword',
  'users.signup',
] as const

/** Methods whose calls have places of their own. */
export const placedMethods: readonly string[] = [...callsAbroad, ...callsToPayment, ...uploads, ...signIns]

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
 * Creates, by method, the places in which calls wait that a caller can make last. One user, one organization and one kind of call have a
 * share of them each. Organizations take turns; for sign-ins, networks do.
 */
export const createPlacesOfCalls = (): ReadonlyMap<string, Queue> => {
  const abroad = queueOf(64, { network: 16, user: 8, organization: 16, work: 48 })
  const payment = queueOf(32, { user: 4, organization: 4, work: 24 })
  const files = queueOf(16, { user: 2, organization: 4, work: 12 })
  const entrance = queueOf(64, { network: 24, user: 4, work: 48 }, 'network')
  return new Map([
    ...callsAbroad.map((method) => [method, abroad] as const),
    ...callsToPayment.map((method) => [method, payment] as const),
    ...uploads.map((method) => [method, files] as const),
    ...signIns.map((method) => [method, entrance] as const),
  ])
}
