import { createContext, type ReactNode } from 'react'

/** The solutions that a form offers below a refusal, by the refusal's code. */
export const RefusalOffers = createContext<Readonly<Record<string, ReactNode>>>({})
