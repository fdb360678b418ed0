import { audit } from '@tributary/api-kit'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { conflict, newId, SecretBoxError } from '@tributary/kernel'
import { alertChannelName, noteOutcome, openChannel, postAlert, readAlertChannel } from '@tributary/syncs'
import type { ControlDeps } from '../deps.ts'
import { countTry } from '../users/sign-in/count-tries.ts'

/** Maximum number of test messages of one workspace in 15 minutes. */
const maxTests = 30

/**
 * Sends one test message and returns the result. The audit record is written before, so that every message has a known
 * author.
 */
export const testAlertChannel =
  (
    deps: Pick<ControlDeps, 'db' | 'requestClient' | 'secretBox' | 'counters' | 'clock' | 'publicUrl'>,
  ): Handler<typeof methods.alertChannels.test> =>
  async ({ workspace, params, signal }) => {
    const { db, counters, secretBox, clock, publicUrl } = deps
    const row = await readAlertChannel(db, workspace.id, params.alert_channel)
    try {
      openChannel(secretBox, row)
    } catch (error) {
      if (!(error instanceof SecretBoxError)) throw error
      const text = 'The URL cannot be read, because the server has another secret key. Create the channel again'
      throw conflict('SECRETS_UNREADABLE', text)
    }
    await countTry(counters, [[`alert-tests:${workspace.id}`, maxTests]], 'Too many tests. Try again in 15 minutes')
    const now = clock()
    await db.transaction().execute((tx) => audit(tx, alertChannelName(workspace.id, row.id)))
    const began = performance.now()
    const message = {
      id: newId(),
      type: 'test' as const,
      time: new Date(now).toISOString(),
      sync: '',
      run: '',
      title: 'Test of an alert channel',
      text: `Alerts of syncs will be sent here, as chosen for the channel ${row.title}.`,
      url: `${publicUrl()}/workspaces/${workspace.id}/syncs/alerts`,
    }
    const outcome = await postAlert(deps, row, message, signal)
    await noteOutcome(deps, row, outcome)
    return {
      ok: outcome.kind === 'sent',
      message: outcome.kind === 'sent' ? 'The test message was accepted' : outcome.reason,
      latency_ms: Math.round(performance.now() - began),
    }
  }
