import type { UseMutationResult } from '@tanstack/react-query'
import { CircleAlert, CircleCheck, PlugZap } from 'lucide-react'
import { count } from '../lib/format/text.ts'
import { Button } from '../ui/button.tsx'
import { cn } from '../ui/cn.ts'
import { WithCode } from '../ui/code/with-code.tsx'

/** A button that tests a URL and its credentials, and shows the result. */
export const TestConnection = ({
  test,
}: {
  test: UseMutationResult<{ ok: boolean; message: string; latency_ms: number }, Error, void>
}) => {
  const ok = test.data?.ok === true
  const message = test.error?.message ?? test.data?.message
  const Icon = ok ? CircleCheck : CircleAlert
  return (
    <div className="space-y-3">
      <Button loading={test.isPending} onClick={() => test.mutate()}>
        <PlugZap aria-hidden />
        Test connection
      </Button>
      <div aria-live="polite">
        {message !== undefined && !test.isPending && (
          <p
            className={cn(
              'flex items-start gap-2 rounded-md px-3 py-2 text-left text-sm break-words',
              ok ? 'bg-success-soft text-success-ink' : 'bg-danger-soft text-danger-ink',
            )}
          >
            <Icon aria-hidden className="mt-0.5 size-4 shrink-0" />
            <span className="min-w-0">
              <WithCode text={message} />
              {test.data !== undefined && <span className="tabular"> ({count(test.data.latency_ms)} ms)</span>}
            </span>
          </p>
        )}
      </div>
    </div>
  )
}
