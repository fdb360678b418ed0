import { useMutation, useQueryClient } from '@tanstack/react-query'
import { methods, type Session, type User } from '@tributary/contract'
import { call } from '../../lib/api/client.ts'
import { sessionIds, userIds } from '../../lib/format/names.ts'
import { sessionsQuery, userQuery } from '../../lib/queries/account-queries.ts'
import { refresh } from '../../lib/queries/query.ts'
import { notify, notifyRefusal } from '../../ui/overlays/toast.tsx'

/** Changes first and last name, then reloads the user. */
export const useUpdateUser = (user: string) => {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: (body: { first_name: string; last_name: string }) =>
      call(methods.users.update, {
        params: userIds(user),
        query: { update_mask: 'first_name,last_name' },
        body,
      }),
    onSuccess: (updated: User) => {
      cache.setQueryData(userQuery(user).queryKey, updated)
      notify('success', 'Profile updated')
    },
    onSettled: () => cache.invalidateQueries({ queryKey: userQuery(user).queryKey }),
  })
}

/** Replaces the photo by an image (base64), or removes it with null. */
export const useChangePhoto = (user: string) => {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: (content: string | null) => {
      const params = userIds(user)
      return content === null
        ? call(methods.users.removePhoto, { params, body: {} })
        : call(methods.users.uploadPhoto, { params, body: { content } })
    },
    onSuccess: (updated: User) => {
      cache.setQueryData(userQuery(user).queryKey, updated)
      refresh(cache, ['memberships'])
      notify('success', 'Profile updated')
    },
  })
}

/** Ends one of the user's other sessions, or all of them if undefined. */
export const useEndSessions = (user: string) => {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: (session: Session | undefined) =>
      session === undefined
        ? call(methods.sessions.deleteOthers, { params: userIds(user), body: {} })
        : call(methods.sessions.delete, { params: sessionIds(session.name) }),
    onError: (error) => notifyRefusal('Could not end the session', error),
    onSuccess: (_answer, session) =>
      notify('success', session === undefined ? 'Signed out everywhere else' : 'Session ended'),
    onSettled: () => cache.invalidateQueries({ queryKey: sessionsQuery(user).queryKey }),
  })
}
