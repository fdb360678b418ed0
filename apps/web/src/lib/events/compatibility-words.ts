import type { Compatibility } from '@tributary/contract'

/**
 * The words for each validation result, at length and in a badge, with explanation and color. A mismatch is amber, a
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
  // This is no error: the schema has no such event yet.
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
