import { accountEvents, personTraits } from './people.ts'
import type { Template, TemplateObject } from './template.ts'

const account: TemplateObject = {
  account_id: ['string', 'required', 'Id of the customer account (the group).'],
  account_name: ['string', 'recommended', 'Name of the customer account.'],
}

const plan: TemplateObject = {
  plan: ['string', 'required', 'Plan, such as team.'],
  billing_period: ['string', 'recommended', 'month or year.'],
  seats: ['number', 'optional', 'Seats that are paid for.'],
  mrr: ['number', 'recommended', 'Monthly recurring revenue in the currency.'],
  currency: ['string', 'recommended', 'Currency of the amounts, ISO 4217.'],
}

const invoice: TemplateObject = {
  invoice_id: ['string', 'required', 'Id of the invoice.'],
  amount: ['number', 'required', 'Sum of the invoice.'],
  currency: ['string', 'required', 'Currency of the sum, ISO 4217.'],
}

export const b2bSaas: Template = {
  slug: 'b2b-saas',
  title: 'B2B SaaS',
  description: 'Software that teams subscribe to: accounts, invitations, trials, plans and use of features.',
  user: {
    ...personTraits,
    job_title: ['string', 'recommended', 'What the person does.'],
    role: ['string', 'recommended', 'Role in the account.'],
    company: ['object', 'recommended', 'Its id, name, industry, employee_count and plan.'],
    plan: ['string', 'optional', 'Plan of the account.'],
  },
  events: {
    ...accountEvents,
    'Account Created': { ...account, industry: ['string', 'optional', 'Industry of the customer.'] },
    'Account Deleted': { ...account, reason: ['string', 'optional', 'Why, as told.'] },
    'Account Added User': { ...account, role: ['string', 'recommended', 'Role that was given.'] },
    'Account Removed User': { ...account, role: ['string', 'optional', 'Role that the person had.'] },
    'Invite Sent': {
      ...account,
      invitee_email: ['string', 'required', 'Who was invited.'],
      invitee_first_name: ['string', 'optional', 'Given name.'],
      invitee_last_name: ['string', 'optional', 'Family name.'],
      invitee_role: ['string', 'recommended', 'Role that was offered.'],
    },
    'Invite Accepted': { ...account, invitee_role: ['string', 'recommended', 'Role that was offered.'] },
    'Trial Started': {
      ...account,
      trial_start_date: ['string', 'required', 'First day, ISO 8601.'],
      trial_end_date: ['string', 'required', 'Last day, ISO 8601.'],
      trial_plan_name: ['string', 'recommended', 'Plan that is tried.'],
    },
    'Trial Ended': {
      ...account,
      trial_start_date: ['string', 'recommended', 'First day, ISO 8601.'],
      trial_end_date: ['string', 'recommended', 'Last day, ISO 8601.'],
      trial_plan_name: ['string', 'recommended', 'Plan that was tried.'],
      converted: ['boolean', 'recommended', 'Whether the account subscribed.'],
    },
    'Subscription Started': { ...account, ...plan },
    'Subscription Upgraded': {
      ...account,
      ...plan,
      previous_plan: ['string', 'required', 'Plan before.'],
      previous_mrr: ['number', 'optional', 'Monthly recurring revenue before.'],
    },
    'Subscription Downgraded': {
      ...account,
      ...plan,
      previous_plan: ['string', 'required', 'Plan before.'],
      previous_mrr: ['number', 'optional', 'Monthly recurring revenue before.'],
      reason: ['string', 'optional', 'Why, as told.'],
    },
    'Subscription Renewed': { ...account, ...plan },
    'Subscription Cancelled': {
      ...account,
      ...plan,
      reason: ['string', 'recommended', 'Why, as told.'],
      effective_date: ['string', 'recommended', 'When it ends, ISO 8601.'],
    },
    'Invoice Paid': { ...account, ...invoice },
    'Payment Failed': { ...account, ...invoice, reason: ['string', 'recommended', 'What the bank said.'] },
    'Onboarding Started': { ...account, flow: ['string', 'optional', 'Which introduction.'] },
    'Onboarding Step Completed': {
      ...account,
      step: ['number', 'required', 'Number of the step, from 1.'],
      step_name: ['string', 'required', 'Name of the step.'],
      flow: ['string', 'optional', 'Which introduction.'],
    },
    'Onboarding Completed': {
      ...account,
      flow: ['string', 'optional', 'Which introduction.'],
      duration: ['number', 'optional', 'Seconds from start to end.'],
    },
    'Feature Used': {
      feature: ['string', 'required', 'Name of the feature.'],
      account_id: ['string', 'recommended', 'Id of the customer account (the group).'],
      context: ['string', 'optional', 'Where it was used.'],
    },
    'Integration Connected': {
      ...account,
      integration: ['string', 'required', 'What was connected.'],
    },
    'Integration Disconnected': {
      ...account,
      integration: ['string', 'required', 'What was disconnected.'],
      reason: ['string', 'optional', 'Why.'],
    },
    'Support Ticket Created': {
      ticket_id: ['string', 'required', 'Id of the ticket.'],
      subject: ['string', 'recommended', 'What it is about.'],
      priority: ['string', 'optional', 'How urgent it is.'],
      channel: ['string', 'optional', 'mail, chat or phone.'],
    },
  },
}
