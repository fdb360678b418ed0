import type { Compatibility } from '@tributary/contract'

/**
 * The texts for each validation result, in a long and a short form, with explanation and color. A mismatch is amber, a
 * new event is not.
 */
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
  // Not shown as an error: the schema just has no such event yet.
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
