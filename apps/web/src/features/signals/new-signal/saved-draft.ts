import {
  conditionMatches,
  conditionOperators,
  eventTypes,
  signalPlatformInput,
  standardConversions,
} from '@tributary/contract'
import { z } from 'zod'
import { newSignalKey } from '../../../lib/browser/new-signal-key.ts'
import { firstOpen, type SignalDraft, type Step, steps } from '../draft.ts'

const text = z.string().max(1000)
const event = z.object({ event_type: z.enum(eventTypes), event_name: text })

const kept = z.object({
  workspace: text,
  step: z.enum(steps),
  draft: z.object({
    title: text.optional(),
    trigger: z.enum(['events', 'audience']),
    sources: z.array(text),
    events: z.array(event),
    filters: z.object({
      match: z.enum(conditionMatches),
      conditions: z.array(z.object({ id: text, field: text, operator: z.enum(conditionOperators), value: text })),
    }),
    audience: text,
    conversion: z.object({ type: z.enum(standardConversions), custom_name: text }),
    value: z.object({
      type: z.enum(['none', 'fixed', 'event']),
      amount: text,
      amountPath: text,
      currencyPath: text,
      currency: text,
    }),
    eventId: z.object({ type: z.enum(['message_id', 'path']), path: text }),
    refunds: z.object({ on: z.boolean(), events: z.array(event), orderPath: text, amountPath: text }),
    platforms: z.array(signalPlatformInput),
  }),
})

/** Keeps what is entered of a new signal of a workspace (a resource name) for a reload of this tab. */
export const keepDraft = (workspace: string, draft: SignalDraft, step: Step): void => {
  sessionStorage.setItem(newSignalKey, JSON.stringify({ workspace, draft, step }))
}

/** What was kept in this tab, at a step that can be reached; undefined where nothing was, or it is not understood. */
export const keptDraft = (workspace: string): { draft: SignalDraft; step: Step } | undefined => {
  try {
    const read = kept.parse(JSON.parse(sessionStorage.getItem(newSignalKey) ?? 'null'))
    if (read.workspace !== workspace) return undefined
    const draft = { ...read.draft, title: read.draft.title }
    const open = firstOpen(draft)
    const reached = open === undefined ? steps.length - 1 : steps.indexOf(open)
    return { draft, step: steps[Math.min(reached, steps.indexOf(read.step))] ?? 'trigger' }
  } catch {
    return undefined
  }
}

/** Forgets it. */
export const forgetDraft = (): void => sessionStorage.removeItem(newSignalKey)
