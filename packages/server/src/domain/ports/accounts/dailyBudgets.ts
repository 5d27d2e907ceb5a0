// Port for what an owner, a user or an organization, uses of what is limited by the day (UTC).

export interface DailyUse {
  readonly ownerId: string;
  /** What is counted. */
  readonly subject: string;
  readonly amount: number;
  readonly limit: number;
}

export interface DailyBudgets {
  /** Counts the use, which is taken back if the transaction is. False, and nothing is counted, beyond the limit. */
  take(use: DailyUse, now: Date): Promise<boolean>;
  /** What was used today. */
  read(ownerId: string, subject: string, now: Date): Promise<number>;
  /** Deletes those of days before. */
  deleteBefore(now: Date): Promise<void>;
}
