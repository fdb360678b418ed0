import { humanise } from '../format/text.ts'

export type Tone = 'neutral' | 'success' | 'warning' | 'danger'

const known: Readonly<Record<string, { label: string; tone: Tone }>> = {
  delivered: { label: 'Delivered', tone: 'success' },
  retry: { label: 'Failed', tone: 'warning' },
  dead: { label: 'Dead letter', tone: 'danger' },
  filtered: { label: 'Filtered', tone: 'neutral' },
}

/** Returns the label and tone of the outcome of an attempt. For an unknown outcome, the label is the outcome itself. */
export const deliveryStatus = (status: string): { label: string; tone: Tone } =>
  known[status] ?? { label: humanise(status), tone: 'neutral' }
