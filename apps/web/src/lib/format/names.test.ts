import { QueryClient } from '@tanstack/react-query'
import { expect, test, vi } from 'vitest'
import { userQuery } from '../queries/account-queries.ts'
import { organizationIds, slugOf, sourceIds, userIds, workspaceIds } from './names.ts'

test('a resource name is users/{id} or workspaces/{id}, with resources below, and is parsed to its IDs (DATA-11a)', () => {
  expect(userIds('users/u-1')).toEqual({ user: 'u-1' })
  expect(workspaceIds('workspaces/w-1')).toEqual({ workspace: 'w-1' })
  expect(organizationIds('organizations/o-1')).toEqual({ organization: 'o-1' })
  expect(sourceIds('workspaces/w-1/sources/s-1')).toEqual({ workspace: 'w-1', source: 's-1' })
  expect(slugOf('catalogSources/http')).toBe('http')
})

test.each(['workspaces/w-1', 'w-1', 'users/', 'users/u-1/sessions/s-1', ''])(
  '%j is not the name of a user: it gives no ID, and no call is sent',
  async (name) => {
    expect(userIds(name)).toEqual({ user: '' })
    const asked = vi.fn()
    vi.stubGlobal('fetch', asked)
    await expect(new QueryClient().fetchQuery(userQuery(name))).rejects.toThrow('the parameter user is missing')
    expect(asked).not.toHaveBeenCalled()
    vi.unstubAllGlobals()
  },
)
