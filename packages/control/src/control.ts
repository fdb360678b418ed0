import { guardAll, guarded, hidingErased, inPlaces } from '@tributary/api-kit'
import { computeAudience, createEvaluation, forgetAudienceChanges, queueStaleAudiences } from '@tributary/audiences'
import {
  createMeasure,
  createSandbox,
  createStripe,
  keepUsage,
  readUsage,
  receivePaymentWebhook,
  releaseHeld,
  settleSubscriptions,
} from '@tributary/billing'
import type { Authentication, Handlers } from '@tributary/http'
import { createErasure, createRemoveFromFiles, finishPrivacyRequests, reapplyForgotten } from '@tributary/privacy'
import { systemOwner } from '@tributary/storage'
import { createDataSourcePlaces, dryRunSync, peopleReaders, queueDueSyncs, runSync, sendAlert } from '@tributary/syncs'
import { createKeyAuthentication, isApiKey } from './api-keys/authenticate.ts'
import { recordingStaffReads } from './audit-records/staff-reads.ts'
import { type ChannelAccess, createChannelAccess } from './channels.ts'
import { clearExpired } from './clear-expired.ts'
import { checkCustomDomains } from './custom-domains/check.ts'
import type { AccessChanged, ControlDeps } from './deps.ts'
import { notifyFailingDestinations } from './destinations/notify-failing.ts'
import { createHandlers } from './handlers.ts'
import { createImages, type Images } from './images/images.ts'
import { createOpenId } from './openid/openid.ts'
import { removeDeletedOrganizations } from './organizations/remove.ts'
import { createPlacesOfCalls } from './places-of-calls.ts'
import { maskedForGuests } from './profiles/for-guests.ts'
import { notifyBackloggedWorkspaces } from './refused-requests/notify-backlog.ts'
import { createAnswerLogin } from './sessions/answer-login.ts'
import { isInboxToken } from './sessions/inbox-token.ts'
import { createSessions } from './sessions/sessions.ts'
import { notifyStreamPressure, type StreamPressure } from './stream/notify-pressure.ts'
import { notifySetAside } from './stream/notify-set-aside.ts'
import { sweepUploads } from './uploads/sweep.ts'
import { ensurePlatformAdmin, type FirstAdmin } from './users/ensure-platform-admin.ts'
import { createCodeThrottling } from './users/sign-in/login-otp.ts'
import { createOneTimeCodes } from './users/sign-in/one-time-codes.ts'
import { createPasswords } from './users/sign-in/passwords.ts'
import { removeDeletedWorkspaces } from './workspaces/remove.ts'
import type { RemovalDeps } from './workspaces/remove-data.ts'

export type Control = {
  /** A handler for every method of the contract. */
  handlers: Handlers
  /**
   * The holder of a bearer token or an API key. The result may be two seconds old. Throws 503 while the database is
   * unavailable.
   */
  authenticate(token: string): Promise<Authentication>
  /** The access of a token's holder to a realtime channel; undefined without permission. */
  channelAccess(token: string, channel: string): Promise<ChannelAccess | undefined>
  /** Whether a text is the signature token of this user, with which the inbox is listened to. */
  isInboxToken(userId: string, text: string): boolean
  /** A stored picture by its key, made smaller when a box is given; undefined if there is none. */
  readImage: Images['read']
  /** Notifies users of destinations that are failing, each once a day. Call it regularly. */
  notifyFailingDestinations(): Promise<void>
  /**
   * Notifies users of workspaces whose requests are currently refused with 429, once per episode. Call it regularly.
   */
  notifyBackloggedWorkspaces(): Promise<void>
  /** Notifies platform admins that the stream is near its limit, or that a consumer lost its place in it, each once a day. */
  notifyStreamPressure(pressure: StreamPressure): Promise<void>
  /** Notifies platform admins of accepted requests that could not be processed, once a day. */
  notifySetAside(requests: number): Promise<void>
  /** Removes sessions, codes, mail and notices that are over, and cuts what ended sessions listen to; the same. */
  clearExpired(): Promise<void>
  /** Takes a webhook of the payment provider; resolves to the status to answer, and rejects when it is to be sent again. */
  receivePaymentWebhook(call: { body: Uint8Array; signature: string }): Promise<200 | 400 | 404>
  /** Looks for the records of the custom domains whose turn it is. Call it each minute. */
  checkCustomDomains(): Promise<void>
  /** Reads subscriptions again whose period has ended, and bills usage beyond them. Call it regularly. */
  settleSubscriptions(run: { signal: AbortSignal }): Promise<void>
  /** Removes the stored data of deleted organizations and workspaces. Call it regularly, in one process at a time. */
  removeDeletedOrganizations(run: { signal: AbortSignal }): Promise<void>
  /** Measures what organizations have used of their plans, and what follows from that. Call it each minute. */
  measureUsage(run: { signal: AbortSignal }): Promise<void>
  /** Releases the held events of an organization, as its job says. */
  releaseHeld(job: { organization: string }, run: { signal: AbortSignal }): Promise<void>
  /** Runs an `erasureJob`: removes the people of a privacy request from each store. */
  erasePeople: ReturnType<typeof createErasure>
  /** Repeats deletions that a restored database has lost. Call it at every start, before the first call is handled. */
  reapplyForgotten(): Promise<void>
  /** Completes the privacy requests without data left in any log. Call it regularly. */
  finishPrivacyRequests(): Promise<void>
  /** Rewrites the files of an embedded database from which people were removed. Call it each minute. */
  removeFromFiles(run: { signal: AbortSignal }): Promise<void>
  /** Computes an audience, as its job says; and has those computed that were not for a while. */
  computeAudience(job: { audience: string; version: number }, run: { signal: AbortSignal }): Promise<void>
  queueStaleAudiences(): Promise<void>
  /** Removes old changes from the history of audiences. Call it regularly. */
  forgetAudienceChanges(run: { signal: AbortSignal }): Promise<void>
  /** Continues the run of a sync for its job. Rejects if this process cannot deliver. */
  runSync(job: { sync: string }, run: { signal: AbortSignal; attempt: number }): Promise<void>
  /** Finds the changes that a run of a sync would make, for its job. */
  dryRunSync(job: { dry_run: string }, run: { signal: AbortSignal; attempt: number }): Promise<void>
  /** Starts the syncs that are due, and removes the data of deleted ones. Call it each minute. */
  queueDueSyncs(): Promise<void>
  /** Sends the message of an alert channel, as its job says; rejects when it is to be tried again. */
  sendAlert(job: { message: string }, run: { signal: AbortSignal }): Promise<void>
  /** Removes pictures that nothing has referred to since the last call; to be called hours apart. */
  sweepImages(): Promise<void>
  /** Removes uploaded files that belong to no data source; the same. */
  sweepUploads(): Promise<void>
  /** Looks up every token again, to detect changes by other processes. */
  refreshSessions(): void
  /** Makes the first platform admin if there is none; for every start. */
  ensurePlatformAdmin(given: { email: string; password?: string | undefined }): Promise<FirstAdmin>
}

/** The control plane: accounts, organisations, workspaces, sources, destinations, and received and delivered events. */
export const createControl = (deps: ControlDeps): Control => {
  const sessions = createSessions(deps)
  const passwords = createPasswords()
  const accessChanged: AccessChanged = (userId) => {
    sessions.refresh()
    deps.onAccessChanged?.(userId)
  }
  const codeThrottling = createCodeThrottling(deps)
  const codes = createOneTimeCodes({ db: deps.db, clock: deps.clock, key: deps.signing.codes })
  const answerLogin = createAnswerLogin({ ...deps, sessions })
  const identityProvider = deps.openId === undefined ? undefined : createOpenId(deps.openId, deps)
  const images = createImages(deps)
  const eventStore = hidingErased(deps.eventStore, deps.db)
  const evaluation = createEvaluation({ db: deps.db, eventStore })
  // Syncs have their own slots, so that a run that reads for an hour takes no slot from waiting users.
  const syncPlaces = createDataSourcePlaces()
  const dryRunPlaces = createDataSourcePlaces()
  const peoplePlaces = createDataSourcePlaces(peopleReaders)
  const { payment: provider, stripe } = deps.billing
  const payment =
    provider === 'sandbox' ? createSandbox(deps) : stripe === undefined ? undefined : createStripe(deps, stripe)
  const keys = createKeyAuthentication(deps)
  const authenticate = guarded((token: string) => (isApiKey(token) ? keys.ask(token) : sessions.authenticate(token)))
  const removeFromFiles = createRemoveFromFiles(deps)
  return {
    handlers: guardAll(
      recordingStaffReads(
        deps,
        maskedForGuests(
          inPlaces(
            createHandlers({
              ...deps,
              eventStore,
              sessions,
              passwords,
              accessChanged,
              keysChanged: () => keys.clear(),
              codes,
              codeThrottling,
              answerLogin,
              identityProvider,
              images,
              evaluation,
              dataSourcePlaces: createDataSourcePlaces(),
              peoplePlaces,
              payment,
            }),
            createPlacesOfCalls(),
          ),
        ),
      ),
      deps,
    ),
    authenticate,
    isInboxToken: (userId, text) => isInboxToken(deps.signing.inbox, userId, text),
    readImage: (key, box) => images.read(key, box),
    notifyFailingDestinations: () => notifyFailingDestinations(deps),
    notifyBackloggedWorkspaces: () => notifyBackloggedWorkspaces(deps),
    notifyStreamPressure: (pressure) => notifyStreamPressure(deps, pressure),
    notifySetAside: (requests) => notifySetAside(deps, requests),
    receivePaymentWebhook: (call) => receivePaymentWebhook({ ...deps, payment }, stripe, call),
    checkCustomDomains: () => checkCustomDomains(deps),
    removeDeletedOrganizations: async (run) => {
      const removal: RemovalDeps = {
        ...deps,
        keepUsage: (...given) => keepUsage({ ...deps, eventStore }, ...given),
      }
      await removeDeletedWorkspaces(removal, run)
      await removeDeletedOrganizations(removal, run)
    },
    settleSubscriptions: ({ signal }) =>
      settleSubscriptions({
        ...deps,
        payment,
        countProfiles: async (organizationId, period) => {
          const options = { owner: systemOwner, slot: 'heavy', signal } as const
          return (await readUsage({ ...deps, eventStore }, organizationId, period, options)).profiles
        },
      }),
    measureUsage: createMeasure({ ...deps, eventStore }),
    releaseHeld: (job, run) => releaseHeld({ ...deps, eventStore }, job, run),
    clearExpired: () => clearExpired({ ...deps, accessChanged }),
    erasePeople: createErasure(deps),
    reapplyForgotten: () => reapplyForgotten(deps),
    finishPrivacyRequests: () => finishPrivacyRequests(deps),
    removeFromFiles: ({ signal }) => removeFromFiles(signal),
    computeAudience: (job, run) => computeAudience({ ...deps, eventStore, evaluation }, job, run),
    queueStaleAudiences: () => queueStaleAudiences(deps),
    forgetAudienceChanges: (run) => forgetAudienceChanges(deps, run),
    runSync: async (job, run) => {
      if (deps.outbound === undefined) throw new Error('Syncs cannot be sent from this process')
      await runSync({ ...deps, outbound: deps.outbound, dataSourcePlaces: syncPlaces, peoplePlaces }, job, run)
    },
    dryRunSync: (job, run) => dryRunSync({ ...deps, dataSourcePlaces: dryRunPlaces, peoplePlaces }, job, run),
    queueDueSyncs: () => queueDueSyncs(deps),
    sendAlert: (job, run) => sendAlert(deps, job, run),
    sweepImages: () => images.sweep(),
    sweepUploads: () => sweepUploads(deps),
    refreshSessions: () => sessions.refresh(),
    channelAccess: guarded(createChannelAccess({ db: deps.db, authenticate })),
    ensurePlatformAdmin: (given) => ensurePlatformAdmin({ ...deps, passwords }, given),
  }
}
