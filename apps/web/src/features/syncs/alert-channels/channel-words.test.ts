import type { AlertChannel } from '@tributary/contract'
import { expect, test } from 'vitest'
import { channelsOf, syncsText } from './channel-words.ts'

const channel = (title: string, syncs: AlertChannel['syncs']): AlertChannel => ({
  name: `workspaces/w/alertChannels/${title}`,
  title,
  kind: 'slack',
  host: 'hooks.slack.com',
  syncs,
  create_time: '2026-01-01T00:00:00Z',
  last_sent_time: null,
  failure: '',
  failure_time: null,
})

test('a channel for all syncs is notified of each sync, and other channels only of their selected syncs', () => {
  const channels = [channel('all', null), channel('one', ['s1']), channel('none', [])]
  expect(channelsOf('s1', channels).map(({ title }) => title)).toEqual(['all', 'one'])
  expect(channelsOf('s2', channels).map(({ title }) => title)).toEqual(['all'])
  expect(channels.map(({ syncs }) => syncsText(syncs))).toEqual(['All syncs', '1 sync', 'No syncs'])
})
