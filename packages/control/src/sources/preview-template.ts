import { readableSettings, readSource } from '@tributary/configuration'
import { templateProblem } from '@tributary/connector-kit'
import { type methods, templateProblemText } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { badRequest, takeTurn } from '@tributary/kernel'
import type { ControlDeps } from '../deps.ts'

/**
 * Shows the result of a template for a call, with the same code as collection. If the template fails, the response
 * describes the failure.
 */
export const previewTemplate =
  (
    deps: Pick<ControlDeps, 'db' | 'catalog' | 'secretBox' | 'receiveWebhook' | 'workShare' | 'clock' | 'logger'>,
  ): Handler<typeof methods.sources.previewTemplate> =>
  async ({ workspace, params, body: { template, body, query, headers } }) => {
    const { db, catalog, secretBox, receiveWebhook, workShare, clock, logger } = deps
    const source = await readSource(db, workspace.id, params.source)
    const definition = await catalog.sources.find(({ slug }) => slug === source.app)?.load()
    const field = definition?.settings?.fields.find(({ type }) => type === 'template')
    const rule = definition?.webhook
    if (field === undefined || rule === undefined) {
      const text = 'This kind of source has no template'
      throw badRequest('VALIDATION', text, { template: text })
    }
    const problem = await takeTurn(workShare, workspace.id, () => templateProblem(template))
    if (problem !== undefined)
      return {
        events: [],
        error: { reason: 'TEMPLATE_INVALID', message: templateProblemText(problem) },
      }
    const settings = readableSettings(`sources/${source.id}`, source, secretBox, logger)
    const call = {
      method: 'POST',
      body: Buffer.from(body),
      headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
      query: new URLSearchParams(query),
      receivedAt: clock(),
    }
    const received = await takeTurn(workShare, workspace.id, () =>
      receiveWebhook(rule, { ...settings, [field.name]: template }, call),
    )
    if (received === undefined) return { events: [], error: null }
    return 'refusal' in received
      ? { events: [], error: { reason: received.refusal.reason, message: received.refusal.message } }
      : { events: [...received.events], error: null }
  }
