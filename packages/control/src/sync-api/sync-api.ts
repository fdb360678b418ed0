import type { IncomingMessage, ServerResponse } from 'node:http'
import { recordAction } from '@tributary/api-kit'
import type { CachedSyncToken, SyncTokenCache } from '@tributary/configuration'
import { endedSyncRuns, type SyncRun } from '@tributary/contract'
import { answerEarly, isLongUnread } from '@tributary/http'
import { AppError, badRequest, type Logger, type Metrics, notFound, rateLimited, unauthorized } from '@tributary/kernel'
import { beginRun, presentRun, readSyncRun, syncName } from '@tributary/syncs'
import type { ControlDeps } from '../deps.ts'
import { answerCall, failureOfCall, headersOfFailure, keyOf } from '../key-authenticated-http.ts'
import { createRequestRate } from '../profile-api/request-rate.ts'
import { syncTokenName } from '../sync-tokens/present.ts'
import { readRunOfNow } from '../syncs/get-run.ts'
import { readSyncToRun, runUnderWay } from '../syncs/run-now.ts'

const base = '/syncs/v1/'
const address = /^\/syncs\/v1\/([\w-]{1,128})\/runs(?:\/([\w-]{1,128}))?$/

/** Maximum requests per second of one token, and of all tokens of a workspace. */
export const syncApiRates = { token: 10, workspace: 30 } as const

/** Matches an idempotency key, with which a caller identifies the run that it starts. */
const keyForm = /^[\x21-\x7e]{1,200}$/

/** Minimum time between stored updates of a token's last use, ms. */
const usedMs = 60_000

export type SyncApiDeps = Pick<ControlDeps, 'db' | 'jobs' | 'eventStore' | 'clock'> & {
  tokens: Pick<SyncTokenCache, 'find' | 'ready'>
  logger: Logger
  metrics: Metrics
}

/** Writes a run as JSON for orchestrators: as the API shows it, with its ID and whether it has ended. */
const runText = (run: SyncRun): string => {
  const { name, state } = run
  return JSON.stringify({ id: name.slice(name.lastIndexOf('/') + 1), ended: endedSyncRuns.includes(state), ...run })
}

type Answer = { status: number; body: string }

/**
 * Makes the function that finds the token of a request and stores its use. It throws if there is no valid token, or too
 * many requests.
 */
const createAdmission = ({ db, clock, tokens }: Pick<SyncApiDeps, 'db' | 'clock' | 'tokens'>) => {
  const rate = createRequestRate(
    (name) => (name.startsWith('token ') ? syncApiRates.token : syncApiRates.workspace),
    clock,
  )
  const usedAt = new Map<string, number>()

  /** The request does not wait for this: a token stays valid even if its use cannot be stored. */
  const noteUse = (id: string): void => {
    const now = clock()
    if (now - (usedAt.get(id) ?? Number.NEGATIVE_INFINITY) < usedMs) return
    usedAt.set(id, now)
    db.updateTable('sync_tokens')
      .set({ last_used_time: new Date(now) })
      .where('id', '=', id)
      .execute()
      .catch(() => usedAt.delete(id))
  }

  return (request: IncomingMessage): CachedSyncToken => {
    if (!tokens.ready())
      throw new AppError(503, 'UNAVAILABLE', 'The server is starting; try again in a moment', { retry_after: '1' })
    const text = keyOf(request)
    const token = text === undefined ? undefined : tokens.find(text)
    if (token === undefined)
      throw unauthorized(
        'Send a token for orchestrators as a Bearer token. Create one under API tokens on the list of syncs.',
        'INVALID_TOKEN',
      )
    const wait = rate.take(`token ${token.id}`, `workspace ${token.workspaceId}`)
    if (wait !== undefined) throw rateLimited('Too many requests. Try again in a moment', wait)
    noteUse(token.id)
    return token
  }
}

const start = async (
  { db, jobs, clock }: Pick<SyncApiDeps, 'db' | 'jobs' | 'clock'>,
  { id: tokenId, workspaceId }: CachedSyncToken,
  sync: string,
  given: { resync: boolean; requestKey: string | null },
): Promise<Answer> => {
  const { id } = await readSyncToRun(db, workspaceId, sync, given)
  const time = new Date(clock())
  const { run, isNew } = await db.transaction().execute(async (tx) => {
    // The lock serializes calls for the same sync, so that two calls with one key do not start two runs.
    await tx.selectFrom('syncs').select('id').where('id', '=', id).forUpdate().executeTakeFirst()
    const known =
      given.requestKey === null
        ? undefined
        : await tx
            .selectFrom('sync_runs')
            .select('id')
            .where('sync_id', '=', id)
            .where('request_key', '=', given.requestKey)
            .executeTakeFirst()
    if (known !== undefined) return { run: known.id, isNew: false }
    const begun = await beginRun(tx, jobs, id, { trigger: 'api', ...given, time })
    if (begun === undefined) throw await runUnderWay(tx, id)
    const { organization_id } = await tx
      .selectFrom('workspaces')
      .select('organization_id')
      .where('id', '=', workspaceId)
      .executeTakeFirstOrThrow()
    await recordAction(tx, {
      actor: null,
      action: 'syncs.run',
      resource: syncName(workspaceId, id),
      organizationId: organization_id,
      workspaceId,
      detail: { resync: given.resync, token: syncTokenName(workspaceId, tokenId) },
      time,
    })
    return { run: begun, isNew: true }
  })
  const row = await readSyncRun(db, workspaceId, { sync: id, run })
  return { status: isNew ? 201 : 200, body: runText(presentRun(row)) }
}

/**
 * Lets orchestrators start syncs and follow their runs, with a token of the workspace. A request without a valid token
 * is refused without a query, before its body is read.
 */
export const createSyncApi = (deps: SyncApiDeps) => {
  const { db, eventStore, logger, metrics } = deps
  const admit = createAdmission(deps)

  const answer = async (request: IncomingMessage, signal: AbortSignal): Promise<Answer> => {
    const token = admit(request)
    const [path = '', text = ''] = (request.url ?? '').split('?', 2)
    const [, sync = '', run] = address.exec(path) ?? []
    if (sync === '') throw notFound('Use /syncs/v1/{sync}/runs or /syncs/v1/{sync}/runs/{run}', 'NO_SUCH_CALL')
    const verb = run === undefined ? 'POST' : 'GET'
    if (request.method !== verb) throw new AppError(405, 'METHOD_NOT_ALLOWED', `Use ${verb}`)
    if (run !== undefined) {
      const found = await readRunOfNow({ db, eventStore }, token.workspaceId, { sync, run }, signal)
      return { status: 200, body: runText(found) }
    }
    const key = request.headers['idempotency-key'] ?? null
    if (key !== null && (typeof key !== 'string' || !keyForm.test(key)))
      throw badRequest('VALIDATION', 'Idempotency-Key must be 1 to 200 visible ASCII characters')
    const resync = new URLSearchParams(text).get('resync') ?? 'false'
    if (resync !== 'true' && resync !== 'false') throw badRequest('VALIDATION', 'resync must be true or false')
    return await start(deps, token, sync, { resync: resync === 'true', requestKey: key })
  }

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const gone = new AbortController()
    response.once('close', () => gone.abort())
    let headers: Record<string, string> = {}
    let answered: Answer
    try {
      answered = await answer(request, gone.signal)
    } catch (error) {
      const failure = failureOfCall(error, logger, 'a call of the sync API failed')
      headers = headersOfFailure(failure)
      answered = { status: failure.code, body: JSON.stringify(failure.toBody()) }
    }
    const { status, body } = answered
    metrics.count('sync_api_requests', 1, { status: String(status) })
    if (!isLongUnread(request)) return answerCall(response, status, body, headers)
    const more = { ...headers, 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' }
    answerEarly(request, response, status, Object.entries(more).flat(), body)
  }

  return {
    handles: (path: string): boolean => path.startsWith(base),
    handle: (request: IncomingMessage, response: ServerResponse): void => void handle(request, response),
  }
}
