import type { ActionTarget, ConversionPlatform, DestinationDefinition } from '@tributary/connector-kit'
import type { SignalPlatform } from '@tributary/contract'
import { testDestination } from './control-harness.ts'

const target = (name: string, more: Partial<ActionTarget> = {}): ActionTarget => ({
  name,
  label: name,
  help: '',
  type: 'string',
  required: false,
  recommended: false,
  kind: 'property',
  ...more,
})

const field = (name: string) => ({ type: 'FIELD', name }) as const

const fields = {
  event_id: field('context.signal.event_id'),
  event_time: field('context.signal.time'),
  value: field('context.signal.value'),
  currency: field('context.signal.currency'),
  email: { type: 'VARIABLE', name: 'user_email' },
  phone: { type: 'VARIABLE', name: 'user_phone' },
  external_id: { type: 'VARIABLE', name: 'user_key' },
  ip: field('context.ip'),
  click: field('context.signal.gclid'),
  consent: field('context.signal.consent'),
} as const

const days = (count: number): number => count * 86_400_000

/**
 * The ways in which an advertising platform receives refunds: as the remaining value of the conversion, or as the
 * refunded amount.
 */
const refundOf = {
  restates: { action: 'restate', restates: true, fields: { value: field('context.signal.remaining_value') } },
  reports: { action: 'restate', fields: {} },
} as const

/**
 * Makes an advertising platform that accepts conversions. The options decide whether it has a test screen and how it
 * receives refunds.
 */
export const platformDestination = (
  platform: SignalPlatform,
  {
    testCode = false,
    refunds,
    takesDenied = false,
  }: { testCode?: boolean; refunds?: keyof typeof refundOf; takesDenied?: boolean } = {},
): DestinationDefinition => {
  const conversions: ConversionPlatform = {
    platform,
    maxAgeMs: { online: days(7), offline: days(62) },
    action: 'convert',
    eventName: 'event_name',
    eventId: { target: 'event_id', pixelParameter: 'eventID' },
    ...(testCode ? { testCode: 'test_event_code' } : {}),
    fields,
    identifiers: {
      email: { targets: ['email'], weight: 4 },
      phone: { targets: ['phone'], weight: 2 },
      click_id: { targets: ['click'], weight: 3 },
      external_id: { targets: ['external_id'], weight: 1 },
    },
    needs: [['email'], ['phone'], ['click_id']],
    ...(refunds === undefined ? {} : { refund: refundOf[refunds] }),
    ...(takesDenied ? { takesDenied: true as const } : {}),
  }
  const targets = [
    target('event_name', { required: true }),
    target('event_id', { required: true }),
    target('event_time', { type: 'datetime' }),
    target('value', { type: 'any' }),
    target('currency'),
    target('email', { pii: 'email', kind: 'identity' }),
    target('phone', { pii: 'phone', kind: 'identity' }),
    target('external_id', { pii: 'text', kind: 'identity' }),
    target('ip'),
    target('click'),
    target('consent', { type: 'any' }),
    target('test_event_code'),
  ]
  const action = {
    name: 'convert',
    title: 'Convert',
    description: 'Sends a conversion.',
    targets,
    customTargets: false,
    wholeEvent: false,
    eventTypes: [],
  }
  return {
    ...testDestination,
    slug: platform.replaceAll('_', '-'),
    title: `Ads of ${platform}`,
    actions: [action, { ...action, name: 'restate', title: 'Restate' }],
    objects: [{ ...testDestination.objects[0]!, actions: ['convert', 'restate'] }],
    presets: [],
    conversions,
  }
}
