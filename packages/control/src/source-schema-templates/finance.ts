import { accountEvents, personTraits } from './people.ts'
import type { Template, TemplateObject } from './template.ts'

const application: TemplateObject = {
  application_id: ['string', 'required', 'Id of the application.'],
  product: ['string', 'required', 'What is applied for: account, card, loan, insurance …'],
  amount: ['number', 'optional', 'Sum that is asked for.'],
  currency: ['string', 'optional', 'Currency of the sum, ISO 4217.'],
}

const account: TemplateObject = {
  account_id: ['string', 'required', 'Id of the account; never its full number.'],
  account_type: ['string', 'recommended', 'checking, savings, investment …'],
}

const transfer: TemplateObject = {
  transfer_id: ['string', 'required', 'Id of the transfer.'],
  amount: ['number', 'required', 'Sum.'],
  currency: ['string', 'required', 'Currency of the sum, ISO 4217.'],
  transfer_type: ['string', 'recommended', 'internal, bank, instant or card.'],
  fee: ['number', 'optional', 'Fee.'],
}

const trade: TemplateObject = {
  order_id: ['string', 'required', 'Id of the order.'],
  instrument: ['string', 'required', 'What is traded, such as an ISIN or ticker.'],
  side: ['string', 'required', 'buy or sell.'],
  quantity: ['number', 'required', 'How many.'],
  price: ['number', 'recommended', 'Price of one.'],
  currency: ['string', 'required', 'Currency of the price, ISO 4217.'],
  order_type: ['string', 'optional', 'market or limit.'],
}

export const finance: Template = {
  slug: 'finance',
  title: 'Finance',
  description: 'Banking, cards, loans and investing: applications, checks of identity, accounts, transfers and trades.',
  user: {
    ...personTraits,
    customer_type: ['string', 'recommended', 'private or business.'],
    kyc_status: ['string', 'recommended', 'none, pending, verified or refused.'],
    products: ['array', 'optional', 'Products that the person has.'],
    risk_profile: ['string', 'optional', 'Risk that the person accepts.'],
  },
  events: {
    ...accountEvents,
    'Application Started': application,
    'Application Step Completed': {
      ...application,
      step: ['number', 'required', 'Number of the step, from 1.'],
      step_name: ['string', 'recommended', 'Name of the step.'],
    },
    'Application Submitted': application,
    'Application Approved': application,
    'Application Declined': { ...application, reason: ['string', 'recommended', 'Why, in the words of the policy.'] },
    'Identity Verification Started': {
      provider: ['string', 'recommended', 'Who checks.'],
      method: ['string', 'optional', 'document, video or bank.'],
    },
    'Identity Verified': {
      provider: ['string', 'recommended', 'Who checked.'],
      method: ['string', 'optional', 'document, video or bank.'],
    },
    'Identity Verification Failed': {
      provider: ['string', 'recommended', 'Who checked.'],
      reason: ['string', 'required', 'Why.'],
    },
    'Account Opened': account,
    'Account Linked': { ...account, institution: ['string', 'recommended', 'Bank of the account.'] },
    'Account Funded': {
      ...account,
      amount: ['number', 'required', 'Sum.'],
      currency: ['string', 'required', 'Currency of the sum, ISO 4217.'],
      first_deposit: ['boolean', 'recommended', 'Whether it is the first.'],
    },
    'Account Closed': { ...account, reason: ['string', 'recommended', 'Why, as told.'] },
    'Transfer Initiated': transfer,
    'Transfer Completed': transfer,
    'Transfer Failed': { ...transfer, reason: ['string', 'required', 'Why.'] },
    'Bill Paid': {
      bill_id: ['string', 'recommended', 'Id of the bill.'],
      payee_category: ['string', 'optional', 'Whom: energy, rent, telephone …'],
      amount: ['number', 'required', 'Sum.'],
      currency: ['string', 'required', 'Currency of the sum, ISO 4217.'],
      recurring: ['boolean', 'optional', 'Whether it is paid every period.'],
    },
    'Card Ordered': {
      card_id: ['string', 'required', 'Id of the card; never its number.'],
      card_type: ['string', 'required', 'debit, credit or prepaid.'],
      virtual: ['boolean', 'optional', 'Whether it exists only online.'],
    },
    'Card Activated': {
      card_id: ['string', 'required', 'Id of the card; never its number.'],
      card_type: ['string', 'recommended', 'debit, credit or prepaid.'],
    },
    'Card Blocked': {
      card_id: ['string', 'required', 'Id of the card; never its number.'],
      reason: ['string', 'recommended', 'lost, stolen, suspicion or wish.'],
    },
    'Card Transaction Completed': {
      transaction_id: ['string', 'required', 'Id of the transaction.'],
      card_id: ['string', 'required', 'Id of the card; never its number.'],
      amount: ['number', 'required', 'Sum.'],
      currency: ['string', 'required', 'Currency of the sum, ISO 4217.'],
      merchant_category: ['string', 'recommended', 'Category of the merchant.'],
    },
    'Loan Disbursed': {
      loan_id: ['string', 'required', 'Id of the loan.'],
      amount: ['number', 'required', 'Sum.'],
      currency: ['string', 'required', 'Currency of the sum, ISO 4217.'],
      term_months: ['number', 'recommended', 'Term, in months.'],
      interest_rate: ['number', 'recommended', 'Percent a year.'],
    },
    'Loan Repayment Made': {
      loan_id: ['string', 'required', 'Id of the loan.'],
      amount: ['number', 'required', 'Sum.'],
      currency: ['string', 'required', 'Currency of the sum, ISO 4217.'],
      remaining: ['number', 'optional', 'What is left.'],
    },
    'Trade Placed': trade,
    'Trade Executed': { ...trade, price: ['number', 'required', 'Price of one.'] },
    'Savings Goal Created': {
      goal_id: ['string', 'required', 'Id of the goal.'],
      target: ['number', 'required', 'Sum to reach.'],
      currency: ['string', 'required', 'Currency of the sum, ISO 4217.'],
      target_date: ['string', 'optional', 'By when, ISO 8601.'],
    },
  },
}
