import type { Template } from './template.ts'

export const blank: Template = {
  slug: 'blank',
  title: 'Blank schema',
  description: 'Begins without any event: add events by hand, import a file or take them over from what arrives.',
  events: {},
}
