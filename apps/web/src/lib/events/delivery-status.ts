import { humanise } from '../format/text.ts'

export type Tone = 'neutral' | 'success' | 'warning' | 'danger'

const known: Readonly<Record<string, { label: string; tone: Tone }>> = {
  delivered: { label: 'Delivered', tone: 'success' },
  retry: { label: 'Failed', tone: 'warning' },
  dead: { label: 'Dead letter', tone: 'danger' },
  filtered: { label: 'Filtered', tone: 'neutral' },
}

/** How the outcome of an attempt is shown; one that is not known shows its own word. */
export const deliveryStatus = (status: string): { label: string; tone: Tone } =>
  known[status] ?? { label: humanise(status), tone: 'neutral' }
