import { createContext, type ReactNode } from 'react'

/** What a form offers below a refusal, by the refusal's code: what to do about it. */
export const RefusalOffers = createContext<Readonly<Record<string, ReactNode>>>({})
