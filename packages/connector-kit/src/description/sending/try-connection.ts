import type { ConnectionTest, DeliverContext } from '../../definition/definition.ts'
import { testOf } from '../../http/send-request.ts'
import { readAnswer } from '../answers/read-answer.ts'
import { bodyWith, type Described, openEnvelope, settingVariables, transmit } from '../requests/open-request.ts'
import { renderTree, scopeOf } from '../templates/render-tree.ts'

/** Sends the test request of a description, and says whether address and credentials work. */
export const tryConnection = (described: Described, context: DeliverContext): Promise<ConnectionTest> =>
  testOf(async () => {
    const { test, title } = described
    const scope = scopeOf(settingVariables(described, context.settings))
    const envelope = openEnvelope(described, test.request, scope, context.settings)
    const value = test.item === undefined ? undefined : renderTree(test.item, scope)
    const items = value === undefined ? [] : [{ value, place: envelope.request.batch?.at ?? '' }]
    const { call, secrets } = await transmit(described, envelope, bodyWith(envelope, items), context)
    const { answer } = call
    if (test.accepts.includes(answer.status)) return { ok: true, message: test.message }
    const answers = envelope.request.answers ?? described.answers
    const reading = readAnswer({ answer, answers, items: [], title, secrets, now: context.clock() })
    if (reading.kind === 'misconfigured') return { ok: false, message: reading.message }
    const outcome = reading.kind === 'all' ? reading.outcome : undefined
    if (outcome?.kind === 'delivered') return { ok: true, message: test.message }
    const reason = outcome !== undefined && 'reason' in outcome ? outcome.reason : `HTTP ${answer.status}`
    return { ok: false, message: `${title} does not accept the test: ${reason}` }
  })
