/** Languages of the application, of messages and of files (BCP 47). */
export const languages = ['en', 'de'] as const
export type Language = (typeof languages)[number]
