import { Badge } from '../ui/badge.tsx'

/** Shows whether an event is a test. */
export const EnvironmentBadge = ({ test }: { test: boolean }) =>
  test ? <Badge tone="warning">Test</Badge> : <Badge tone="accent">Prod</Badge>
