// @vitest-environment happy-dom
import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { Destination } from '@tributary/contract'
import { expect, test, vi } from 'vitest'
import { openInWorkspace } from '../../testing/page.tsx'
import { ChoosePeopleList } from './choose-people-list.tsx'

const name = 'workspaces/w1/destinations/d1'

const destinationWith = (lists: Destination['app']['people_lists']): Destination => ({
  name,
  title: 'Ads',
  app: {
    name: `${name}/app`,
    catalog_app: 'catalogDestinations/meta-custom-audiences',
    title: 'Meta Custom Audiences',
    display_name: 'Meta Custom Audiences',
    docs_url: '',
    instance_count: 1,
    extra: { app_icon: '' },
    settings: [],
    people_lists: lists,
    abilities: [],
  },
  state: 'ready',
  missing_settings: [],
  enabled: true,
  consent_categories: [],
  grant: null,
  create_time: '2026-01-01T00:00:00Z',
  update_time: '2026-01-01T00:00:00Z',
})

/** Shows the choice for a destination with or without lists of people. The fake server has one list. */
const show = (lists: Destination['app']['people_lists']) => {
  const onChoose = vi.fn()
  const opened = openInWorkspace(<ChoosePeopleList destination={name} name="" onChoose={onChoose} />, {
    answers: (path) => {
      if (path === `/${name}`) return Response.json(destinationWith(lists))
      const found = [{ id: '23847', title: 'VIPs', note: '' }]
      return path === `/${name}/peopleLists`
        ? Response.json({ people_lists: found, next_page_token: '', message: '' })
        : undefined
    },
  })
  return { onChoose, ...opened }
}

test('the ID of a list of the account becomes the name of the object, and the platform is asked on request', async () => {
  const { onChoose, asked } = show({ setting: 'audience_id', title: 'Custom Audience', max_title: 100 })
  const button = await screen.findByRole('button', { name: 'Choose a Custom Audience' })
  expect(asked).not.toContain(`/${name}/peopleLists`)
  await userEvent.click(button)
  await userEvent.click(screen.getByRole('combobox', { name: 'Choose a Custom Audience' }))
  await userEvent.click(await screen.findByRole('option', { name: /VIPs/ }))
  expect(onChoose).toHaveBeenCalledWith('23847')
})

test('a destination without lists of people offers none', async () => {
  const { settled } = show(null)
  await settled()
  expect(screen.queryByRole('button')).toBeNull()
})
