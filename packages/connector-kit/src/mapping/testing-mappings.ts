import type { PipelineEvent } from '@tributary/contract'
import type { ActionDefinition, ActionTarget, DestinationDefinition } from '../definition/definition.ts'

/** Returns a target of an action for tests. */
export const targetOf = (name: string, more: Partial<ActionTarget> = {}): ActionTarget => ({
  name,
  label: name,
  help: '',
  type: 'any',
  required: false,
  recommended: false,
  kind: 'custom',
  ...more,
})

/** Returns an action for tests, which takes custom fields. */
export const actionOf = (name: string, more: Partial<ActionDefinition> = {}): ActionDefinition => ({
  name,
  title: name,
  description: '',
  targets: [],
  customTargets: true,
  wholeEvent: false,
  eventTypes: [],
  ...more,
})

/** Returns the part of a destination that mappings use, for tests. */
export const definitionOf = (
  actions: ActionDefinition[],
  presets: DestinationDefinition['presets'] = [],
): Pick<DestinationDefinition, 'slug' | 'title' | 'actions' | 'presets'> => ({
  slug: 'example',
  title: 'Example',
  actions,
  presets,
})

/** Returns an event for tests. */
export const eventOf = (more: Partial<PipelineEvent>): PipelineEvent => ({
  eventId: '0-1-0',
  messageId: 'm1',
  type: 'track',
  event: 'Order Completed',
  userId: 'u1',
  context: {},
  test: false,
  receivedAt: '2026-01-02T03:04:06.000Z',
  timestamp: '2026-01-02T03:04:05.678Z',
  ...more,
})
