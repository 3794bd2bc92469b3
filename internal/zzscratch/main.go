package main
import ("fmt";"os";"github.com/pgfettle/pgfettle/internal/fact/snapshot";"github.com/pgfettle/pgfettle/internal/judge/plan";"github.com/pgfettle/pgfettle/internal/judge/rule";"strconv")
func main(){
 for _, spec := range os.Args[1:] {
 a,err:=snapshot.Describe(spec); if err!=nil{panic(err)}
 s,err:=snapshot.Read(a); if err!=nil{panic(err)}
 o:=rule.Options{Profile:rule.Mixed}
 if v:=os.Getenv("CONN");v!=""{o.Connections,_=strconv.Atoi(v)}
 if v:=os.Getenv("PROF");v!=""{o.Profile=rule.Profile(v)}
 p,err:=plan.Make(s,rule.All(),o); if err!=nil{panic(err)}
 fmt.Println("==",spec); fmt.Printf("%+v\n",p.Budget.After)
 for _,c:=range p.Changes { fmt.Printf("  %-36s %s -> %s (%s)\n",c.Address,c.From,c.To,c.Effect) }
 for _,w:=range p.Warnings {fmt.Println("  !",w)}
 }
}
