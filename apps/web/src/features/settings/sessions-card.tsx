import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { methods, type Session } from '@tributary/contract'
import { Monitor, Smartphone, Terminal } from 'lucide-react'
import { useState } from 'react'
import { QueryView } from '../../components/query-view.tsx'
import { call } from '../../lib/api/client.ts'
import { deviceName } from '../../lib/format/device.ts'
import { sessionIds, userIds } from '../../lib/format/names.ts'
import { rowsQuery } from '../../lib/queries/query.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { CardList, CardRow } from '../../ui/lists/card-list.tsx'
import { ConfirmDialog } from '../../ui/overlays/confirm-dialog.tsx'
import { notify, notifyRefusal } from '../../ui/overlays/toast.tsx'
import { CardSkeleton } from '../../ui/page/skeleton.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'

/** The user's own active sessions, the one used last first. */
const sessionsQuery = (user: string) =>
  rowsQuery(methods.sessions.list, { params: userIds(user) }, ({ sessions }) => sessions, { staleTime: 0 })

/** Ends one other session of the user. If the session is undefined, ends all other sessions. */
const useEndSessions = (user: string) => {
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

const DeviceIcon = ({ device }: { device: string }) => {
  const className = 'size-4 shrink-0 text-ink-3'
  if (/iPhone|iPad|Android/.test(device)) return <Smartphone aria-hidden className={className} />
  return / on |^Unknown/.test(device) ? (
    <Monitor aria-hidden className={className} />
  ) : (
    <Terminal aria-hidden className={className} />
  )
}

const Row = ({ session, user }: { session: Session; user: string }) => {
  const end = useEndSessions(user)
  const device = deviceName(session.user_agent)
  return (
    <CardRow>
      <DeviceIcon device={device} />
      <span className="min-w-0 flex-1">
        <span className="flex flex-wrap items-center gap-2 text-sm" title={session.user_agent}>
          {device}
          {session.current && <Badge tone="success">This session</Badge>}
        </span>
        <span className="text-xs break-words text-ink-3">
          {session.ip !== '' && `${session.ip} · `}last used <RelativeTime time={session.last_used_time} /> · signed in{' '}
          <RelativeTime time={session.create_time} />
        </span>
      </span>
      {!session.current && (
        <Button
          variant="none"
          size="sm"
          loading={end.isPending}
          aria-label={`Sign out ${device}`}
          onClick={() => end.mutate(session)}
        >
          Sign out
        </Button>
      )}
    </CardRow>
  )
}

const EndOthers = ({ user, count }: { user: string; count: number }) => {
  const end = useEndSessions(user)
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button
        size="sm"
        disabled={count === 0}
        onClick={() => {
          end.reset()
          setOpen(true)
        }}
      >
        Sign out everywhere else
      </Button>
      <ConfirmDialog
        open={open}
        onOpenChange={setOpen}
        kind="danger"
        title="Sign out everywhere else"
        confirmLabel="Sign out"
        loading={end.isPending}
        done={end.isSuccess}
        onConfirm={() => end.mutate(undefined)}
      >
        Every session except this one ends immediately. To keep others out, change your password too.
      </ConfirmDialog>
    </>
  )
}

/** The sessions of the user. The current one is marked; each other session can be ended, or all of them together. */
export const SessionsCard = ({ user }: { user: string }) => {
  const query = useQuery(sessionsQuery(user))
  return (
    <QueryView query={query} skeleton={<CardSkeleton lines={3} />} errorTitle="Failed to load your sessions">
      {(sessions) => (
        <Card
          title="Active sessions"
          description="Devices signed in to your account. Sign out any you don't recognize."
          action={<EndOthers user={user} count={sessions.filter(({ current }) => !current).length} />}
        >
          <CardList label="Active sessions">
            {sessions.map((session) => (
              <Row key={session.name} session={session} user={user} />
            ))}
          </CardList>
        </Card>
      )}
    </QueryView>
  )
}
