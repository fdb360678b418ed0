import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { methods } from '@tributary/contract'
import { useEffect } from 'react'
import { call } from '../../lib/api/client.ts'
import { joinUser } from '../../lib/api/realtime.ts'
import { realtimeQuery } from '../../lib/api/realtime-query.ts'
import { notificationIds, userIds } from '../../lib/format/names.ts'
import { useSession } from '../../lib/people/session.ts'
import { pagesQuery } from '../../lib/queries/query.ts'
import { notify } from '../../ui/overlays/toast.tsx'

/**
 * Reads the inbox of the user, newest first, by pages of 20, with the number of unread notifications. Reads it again
 * every 30 seconds.
 */
const notificationsQuery = (user: string) =>
  pagesQuery(
    methods.notifications.list,
    { params: userIds(user), query: { page_size: 20 } },
    { refetchInterval: 30_000 },
  )

const useUser = (): string => useSession((state) => state.currentUserResourceName) ?? ''

/** The notifications of the inbox, and the number of unread ones. */
export const useInbox = () => {
  const user = useUser()
  const query = useInfiniteQuery({ ...notificationsQuery(user), enabled: user !== '' })
  return {
    query,
    notifications: query.data?.pages.flatMap((page) => page.notifications),
    unread: query.data?.pages[0]?.unread_count ?? 0,
  }
}

/** Marks the notifications in the inbox as read, and reloads the list. */
export const useMarkRead = () => {
  const user = useUser()
  const cache = useQueryClient()
  const onSettled = () => cache.invalidateQueries({ queryKey: notificationsQuery(user).queryKey })
  const onError = (error: Error): void => notify('error', 'Could not mark as read', { description: error.message })
  const one = useMutation({
    mutationFn: (name: string) => call(methods.notifications.markRead, { params: notificationIds(name), body: {} }),
    onSettled,
    onError,
  })
  const all = useMutation({
    mutationFn: () => call(methods.notifications.markAllRead, { params: userIds(user), body: {} }),
    onSettled,
    onError,
  })
  return { one, all }
}

/** Reloads the inbox when a notification arrives, and after every interruption of the live connection. */
export const useInboxArrivals = (): void => {
  const user = useUser()
  const token = useSession((state) => state.accessToken)
  const key = useQuery(realtimeQuery()).data?.key
  const cache = useQueryClient()
  useEffect(() => {
    if (key === undefined || token === null || user === '') return
    const read = (): void => void cache.invalidateQueries({ queryKey: notificationsQuery(user).queryKey })
    return joinUser({ key, token, on: { notification: read }, onJoined: read })
  }, [key, token, user, cache])
}
