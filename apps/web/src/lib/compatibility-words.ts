import type { Compatibility } from '@tributary/contract'

/** How an event that was judged so is called, explained and coloured. */
export const compatibilityWords = {
  compatible: {
    title: 'Compatible',
    text: 'This event is fully compatible with the source schema.',
    tone: 'success',
  },
  needsAttention: {
    title: 'Needs attention',
    text: 'This event is not fully compatible: some properties are missing or have the wrong type.',
    tone: 'warning',
  },
  incompatible: {
    title: 'Incompatible',
    text: "This event doesn't exist in the source schema.",
    tone: 'danger',
  },
} as const satisfies Record<Compatibility, { title: string; text: string; tone: 'success' | 'warning' | 'danger' }>
