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
import type { Handlers } from '@tributary/http'
import { createErasure, createRemoveFromFiles, finishPrivacyRequests, reapplyForgotten } from '@tributary/privacy'
import { systemOwner } from '@tributary/storage'
import { createDataSourcePlaces, dryRunSync, peopleReaders, queueDueSyncs, runSync, sendAlert } from '@tributary/syncs'
import { compareWarehouses, queueDueLoads, runLoads } from '@tributary/warehouses'
import { createKeyAuthentication, isApiKey } from './api-keys/authenticate.ts'
import { recordingStaffReads } from './audit-records/staff-reads.ts'
import { createChannelAccess } from './channels.ts'
import { clearExpired } from './clear-expired.ts'
import { checkCustomDomains } from './custom-domains/check.ts'
import type { AccessChanged, ControlDeps } from './deps.ts'
import { notifyEndingVersions } from './destinations/notify-ending-versions.ts'
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
import { ensurePlatformAdmin } from './users/ensure-platform-admin.ts'
import { createCodeThrottling } from './users/sign-in/login-otp.ts'
import { createOneTimeCodes } from './users/sign-in/one-time-codes.ts'
import { createPasswords } from './users/sign-in/passwords.ts'
import { removeDeletedWorkspaces } from './workspaces/remove.ts'
import type { RemovalDeps } from './workspaces/remove-data.ts'

type Run = { signal: AbortSignal }

type HandlerDeps = Parameters<typeof createHandlers>[0]

/**
 * Makes the handlers of the API, with their waiting places, the masking for guests, and the audit records of reads by
 * platform admins.
 */
const createApiHandlers = (
  deps: ControlDeps &
    Omit<HandlerDeps, 'codes' | 'codeThrottling' | 'answerLogin' | 'identityProvider' | 'dataSourcePlaces'>,
): Handlers => {
  const handlers = createHandlers({
    ...deps,
    codes: createOneTimeCodes({ db: deps.db, clock: deps.clock, key: deps.signing.codes }),
    codeThrottling: createCodeThrottling(deps),
    answerLogin: createAnswerLogin(deps),
    identityProvider: deps.openId === undefined ? undefined : createOpenId(deps.openId, deps),
    dataSourcePlaces: createDataSourcePlaces(),
  })
  return guardAll(recordingStaffReads(deps, maskedForGuests(inPlaces(handlers, createPlacesOfCalls()))), deps)
}

/**
 * The jobs of syncs. They read data sources in their own slots, so that a run that reads for an hour takes no slot from
 * waiting users.
 */
const createSyncJobs = (
  { outbound, ...deps }: ControlDeps,
  peoplePlaces: ReturnType<typeof createDataSourcePlaces>,
) => {
  const dataSourcePlaces = createDataSourcePlaces()
  const dryRunPlaces = createDataSourcePlaces()
  return {
    /** Continues the run of the sync in a job. Rejects if this process cannot deliver. */
    async runSync(job: { sync: string }, run: Run & { attempt: number }): Promise<void> {
      if (outbound === undefined) throw new Error('Syncs cannot be sent from this process')
      await runSync({ ...deps, outbound, dataSourcePlaces, peoplePlaces }, job, run)
    },
    /** Executes the dry run in a job: finds the changes that a run of the sync would make. */
    dryRunSync: (job: { dry_run: string }, run: Run & { attempt: number }) =>
      dryRunSync({ ...deps, dataSourcePlaces: dryRunPlaces, peoplePlaces }, job, run),
  }
}

/** The jobs of warehouses. */
const createWarehouseJobs = (deps: ControlDeps) => ({
  /** Starts the loads of warehouses that are due. Call it each minute. */
  queueDueLoads: () => queueDueLoads(deps),
  /** Runs the waiting loads of a warehouse in a job. */
  runLoads: (job: { workspace: string; destination: string }, run: Run) => runLoads(deps, job, run),
  /** Compares yesterday in each warehouse with what was delivered. Call it each hour. */
  compareWarehouses: () => compareWarehouses(deps),
})

/** The control plane: accounts, organizations, workspaces, sources, destinations, and received and delivered events. */
export const createControl = (deps: ControlDeps) => {
  const sessions = createSessions(deps)
  const passwords = deps.passwords ?? createPasswords()
  const accessChanged: AccessChanged = (userId) => {
    sessions.refresh()
    deps.onAccessChanged?.(userId)
  }
  const images = createImages(deps)
  const eventStore = hidingErased(deps.eventStore, deps.db)
  const evaluation = createEvaluation({ db: deps.db, eventStore })
  const peoplePlaces = createDataSourcePlaces(peopleReaders)
  const { payment: provider, stripe } = deps.billing
  const payment =
    provider === 'sandbox' ? createSandbox(deps) : stripe === undefined ? undefined : createStripe(deps, stripe)
  const keys = createKeyAuthentication(deps)
  const authenticate = guarded((token: string) => (isApiKey(token) ? keys.ask(token) : sessions.authenticate(token)))
  const removeFromFiles = createRemoveFromFiles(deps)
  return {
    /** A handler for every method of the contract. */
    handlers: createApiHandlers({
      ...deps,
      eventStore,
      sessions,
      passwords,
      accessChanged,
      keysChanged: () => keys.clear(),
      images,
      evaluation,
      peoplePlaces,
      payment,
    }),
    /**
     * Finds the holder of a bearer token or an API key. The result may be two seconds old. Throws 503 while the
     * database is unavailable.
     */
    authenticate,
    /** Whether a text is the signature token with which this user subscribes to the inbox. */
    isInboxToken: (userId: string, text: string) => isInboxToken(deps.signing.inbox, userId, text),
    /** Reads a stored picture by its key, made smaller if a box is given. Undefined if it does not exist. */
    readImage: (...given: Parameters<Images['read']>) => images.read(...given),
    /** Notifies users of failing destinations, once a day for each destination. Call it regularly. */
    notifyFailingDestinations: () => notifyFailingDestinations(deps),
    /** Notifies users of API versions that vendors end soon, once for each version. Call it regularly. */
    notifyEndingVersions: () => notifyEndingVersions(deps),
    /**
     * Notifies users of workspaces whose requests are currently refused with 429, once per episode. Call it regularly.
     */
    notifyBackloggedWorkspaces: () => notifyBackloggedWorkspaces(deps),
    /** Notifies platform admins that the stream is nearly full or that a consumer lost its place, each once a day. */
    notifyStreamPressure: (pressure: StreamPressure) => notifyStreamPressure(deps, pressure),
    /** Notifies platform admins of accepted requests that could not be processed, once a day. */
    notifySetAside: (requests: number) => notifySetAside(deps, requests),
    /** Handles a payment webhook. Resolves to the response status; rejects if it must be sent again. */
    receivePaymentWebhook: (call: { body: Uint8Array; signature: string }) =>
      receivePaymentWebhook({ ...deps, payment }, stripe, call),
    /** Looks for the DNS records of the custom domains that are due for a check. Call it each minute. */
    checkCustomDomains: () => checkCustomDomains(deps),
    /** Removes the stored data of deleted organizations and workspaces. Call it regularly, in one process at a time. */
    removeDeletedOrganizations: async (run: Run) => {
      const removal: RemovalDeps = {
        ...deps,
        keepUsage: (...given) => keepUsage({ ...deps, eventStore }, ...given),
      }
      await removeDeletedWorkspaces(removal, run)
      await removeDeletedOrganizations(removal, run)
    },
    /** Refreshes subscriptions whose period has ended, and bills the usage beyond them. Call it regularly. */
    settleSubscriptions: ({ signal }: Run) =>
      settleSubscriptions({
        ...deps,
        payment,
        countProfiles: async (organizationId, period) => {
          const options = { owner: systemOwner, slot: 'heavy', signal } as const
          return (await readUsage({ ...deps, eventStore }, organizationId, period, options)).profiles
        },
      }),
    /** Measures how much of their plans organizations have used, and acts on the result. Call it each minute. */
    measureUsage: createMeasure({ ...deps, eventStore }),
    /** Executes the job that releases the held events of an organization. */
    releaseHeld: (job: { organization: string }, run: Run) => releaseHeld({ ...deps, eventStore }, job, run),
    /**
     * Removes expired sessions, codes, mail, and notices; closes live connections of ended sessions. Call it regularly.
     */
    clearExpired: () => clearExpired({ ...deps, accessChanged }),
    /** Executes an `erasureJob`: removes the users of a privacy request from each store. */
    erasePeople: createErasure(deps),
    /** Repeats deletions that a restored database has lost. Call it at every start, before the first call is handled. */
    reapplyForgotten: () => reapplyForgotten(deps),
    /** Completes the privacy requests whose users have no more data in any log. Call it regularly. */
    finishPrivacyRequests: () => finishPrivacyRequests(deps),
    /** Rewrites files of an embedded database, to remove deleted users from them. Call it each minute. */
    removeFromFiles: ({ signal }: Run) => removeFromFiles(signal),
    /** Executes the job that computes an audience; `queueStaleAudiences` queues overdue ones. */
    computeAudience: (job: { audience: string; version: number }, run: Run) =>
      computeAudience({ ...deps, eventStore, evaluation }, job, run),
    queueStaleAudiences: () => queueStaleAudiences(deps),
    /** Removes old changes from the history of audiences. Call it regularly. */
    forgetAudienceChanges: (run: Run) => forgetAudienceChanges(deps, run),
    ...createSyncJobs(deps, peoplePlaces),
    /** Starts the syncs that are due, and removes the data of deleted syncs. Call it each minute. */
    queueDueSyncs: () => queueDueSyncs(deps),
    ...createWarehouseJobs({ ...deps, eventStore }),
    /** Executes the job that sends an alert message. Rejects if the job must be tried again. */
    sendAlert: (job: { message: string }, run: Run) => sendAlert(deps, job, run),
    /** Removes pictures without a reference at the previous call and at this one. Call it hours apart. */
    sweepImages: () => images.sweep(),
    /** Removes uploaded files that belong to no data source. Call it hours apart. */
    sweepUploads: () => sweepUploads(deps),
    /** Makes every token be looked up again, to detect changes by other processes. */
    refreshSessions: () => sessions.refresh(),
    /** Returns the access of a token's holder to a realtime channel; undefined without permission. */
    channelAccess: guarded(createChannelAccess({ db: deps.db, authenticate })),
    /** Makes the first platform admin if there is none. Call it at every start. */
    ensurePlatformAdmin: (given: { email: string; password?: string | undefined }) =>
      ensurePlatformAdmin({ ...deps, passwords }, given),
  }
}

export type Control = ReturnType<typeof createControl>
