import type { Compatibility } from '@tributary/contract'

/** How an event that was validated so is called, at length and in a badge, explained and coloured. What is wrong is amber, what is new is not. */
export const compatibilityWords = {
  compatible: {
    title: 'Compatible',
    short: 'Compatible',
    text: 'This event is fully compatible with the source schema.',
    tone: 'success',
  },
  needsAttention: {
    title: 'Needs attention',
    short: 'Needs attention',
    text: 'This event is not fully compatible: some properties are missing or have the wrong type.',
    tone: 'warning',
  },
  // Nothing is known to be wrong with it: the schema has no such event, yet.
  incompatible: {
    title: 'New to the schema',
    short: 'New',
    text: "This event doesn't exist in the source schema.",
    tone: 'accent',
  },
} as const satisfies Record<
  Compatibility,
  { title: string; short: string; text: string; tone: 'success' | 'warning' | 'accent' }
>
