import {
  conditionMatches,
  conditionOperators,
  eventTypes,
  type MethodRequest,
  type methods,
  type SignalDraft as SavedDraft,
  signalPlatformInput,
  standardConversions,
} from '@tributary/contract'
import { z } from 'zod'
import { emptyDraft, firstOpen, type SignalDraft, type Step, steps } from '../draft.ts'

const text = z.string().max(1000)
const event = z.object({ event_type: z.enum(eventTypes), event_name: text })

const kept = z.object({
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

/** The saved form of a draft and its step. */
export const savedOf = (draft: SignalDraft, step: Step): MethodRequest<typeof methods.signalDrafts.update> => ({
  entered: structuredClone({ draft, step }),
})

/** The saved draft with its step, or with one that can be reached; an empty draft if the saved value is unreadable. */
export const restored = ({ entered }: Pick<SavedDraft, 'entered'>): { draft: SignalDraft; step: Step } => {
  const read = kept.safeParse(entered).data
  if (read === undefined) return { draft: emptyDraft, step: 'trigger' }
  const draft = { ...read.draft, title: read.draft.title }
  const open = firstOpen(draft)
  const reached = open === undefined ? steps.length - 1 : steps.indexOf(open)
  return { draft, step: steps[Math.min(reached, steps.indexOf(read.step))] ?? 'trigger' }
}
