import { Badge } from '../../ui/badge.tsx'

/** Whether an event was sent for a test. */
export const TestBadge = ({ test }: { test: boolean }) =>
  test ? <Badge tone="warning">Test</Badge> : <Badge tone="accent">Prod</Badge>
