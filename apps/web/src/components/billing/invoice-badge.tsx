import type { Invoice } from '@tributary/contract'
import { Badge } from '../../ui/badge.tsx'

const shown = {
  paid: { tone: 'success', text: 'Paid' },
  open: { tone: 'warning', text: 'Open' },
  void: { tone: 'neutral', text: 'Void' },
} as const

/** Shows whether an invoice is paid. */
export const InvoiceBadge = ({ status }: Pick<Invoice, 'status'>) => (
  <Badge tone={shown[status].tone}>{shown[status].text}</Badge>
)
